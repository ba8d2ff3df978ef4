"""Word processing, spreadsheets and presentations."""
