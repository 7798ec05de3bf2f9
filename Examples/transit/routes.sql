SELECT id, name || ' (' || kind || ')' AS label FROM line
