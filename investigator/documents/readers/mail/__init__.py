"""E-mail: messages (.eml, .msg) and mailboxes (.mbox)."""
