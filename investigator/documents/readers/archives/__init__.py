"""Files that contain other files: ZIP archives, and ZIP packages (Office, EPUB)."""
