"""Each published system in the plainest code, written from its document alone. Nothing here imports recollect.

A memory is an object with the fields that the documents name. Times are ages in days, None where nothing happened:
`created`, `happened` (None: undated), `accessed`, `retrieved`. `views` maps a view to a unit vector. A link is
(a, b, kind, weight). Every function returns (id, score) pairs; ties are ordered by id. The text in brackets behind a
function's name is the section of the document that it follows; "notes" are facts about a system's code that its
document leaves out.
"""
