"""Translates a book with nothing but Python's own library: order, wait, download, and a link to read it side by side."""
import json, os, sys, time, urllib.request, uuid

base = os.environ["TOLEDO_BASE_URL"].rstrip("/")
key = os.environ["TOLEDO_API_KEY"]


def call(method, path, body=None, content_type=None, headers=None):
    """Returns the data of the answer and its headers; waits and asks again when the service says so."""
    request = urllib.request.Request(base + path, data=body, method=method)
    request.add_header("Authorization", f"Bearer {key}")
    if content_type:
        request.add_header("Content-Type", content_type)
    for name, value in (headers or {}).items():
        request.add_header(name, value)
    while True:
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)["data"], answer.headers
        except urllib.error.HTTPError as refused:
            if refused.code not in (429, 503):
                raise SystemExit(json.load(refused)["error"]["message"])
            time.sleep(int(refused.headers.get("Retry-After", "1")))


def form(fields, path):
    boundary = uuid.uuid4().hex
    with open(path, "rb") as book:
        content = book.read()
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{os.path.basename(path)}"\r\n\r\n'
    return b"".join([*parts, head.encode(), content, f"\r\n--{boundary}--\r\n".encode()]), boundary


book, language = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "en"
# A file has at most as many characters as bytes; what is not needed is released.
body, boundary = form({"action": "translation", "target_lang": language, "estimated_chars": os.path.getsize(book)}, book)
task, _ = call("POST", "/tasks", body, f"multipart/form-data; boundary={boundary}", {"Idempotency-Key": str(uuid.uuid4())})
while task["status"] == "pending":
    task, headers = call("GET", f"/tasks/{task['task_id']}")
    print(task["stage"], f"{int(task['progress'] * 100)} %")
    if task["status"] == "pending":
        time.sleep(int(headers.get("Retry-After", "5")))
if task["status"] != "completed":
    raise SystemExit(task["error"]["message"])
link, _ = call("GET", f"/tasks/{task['task_id']}/download")
urllib.request.urlretrieve(link["download_url"], f"{book}.{language}")
print(f"Written {book}.{language}, charged {task['credits_charged']} credits")
reader, _ = call("POST", f"/tasks/{task['task_id']}/reader-link", b"{}", "application/json")
print("Read it at", reader["url"])
