"""The turn host: chats over HTTP whose turns end in file hooks (Discobot)."""
