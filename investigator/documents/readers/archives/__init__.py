"""Files that contain other files: ZIP archives, ZIP packages (Office, EPUB) and compound files (old Office,
Outlook).
"""
