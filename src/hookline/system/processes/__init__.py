"""Child processes: started, bounded, watched, ended with all they left behind."""
