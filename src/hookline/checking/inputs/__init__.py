"""What a script takes out of the JSON it is given, in whatever language it is written."""
