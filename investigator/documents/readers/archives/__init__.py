"""Files that hold other files: ZIP archives, ZIP packages (Office, EPUB) and compound files (old Office, Outlook)."""
