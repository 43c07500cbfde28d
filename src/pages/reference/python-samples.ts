/** The first calls of an integration in Python, where there is no client; undefined for the others. */
export function pythonSample(root: string, operationId: string): string | undefined {
  const code = samples[operationId];
  return code && headOf(root) + code;
}

const samples: Readonly<Record<string, string>> = {
  getUsage: `
usage = requests.get(f"{base}/usage", headers=key).json()["data"]
print(usage["balance_credits"], usage["rate_limit_per_minute"])`,
  getTask: `
import time

while True:
    answer = requests.get(f"{base}/tasks/{os.environ['TASK_ID']}", headers=key)
    task = answer.json()["data"]
    print(task["stage"], task["progress"])
    if task["status"] in ("completed", "failed", "cancelled"):
        break
    time.sleep(int(answer.headers.get("Retry-After", 10)))
print(task["credits_charged"])`,
  getDownload: `
import hashlib

link = requests.get(f"{base}/tasks/{os.environ['TASK_ID']}/download", headers=key).json()["data"]
book = requests.get(link["download_url"]).content
assert hashlib.sha256(book).hexdigest() == link["sha256"]
with open("novel.en.txt", "wb") as file:
    file.write(book)
print(link["file_name"], link["file_size"])`,
  listTasks: `
page = requests.get(f"{base}/tasks", params={"status": "completed", "limit": 5}, headers=key).json()["data"]
print(len(page["tasks"]), page["next_cursor"])`,
  cancelTask: `
answer = requests.post(f"{base}/tasks/{os.environ['TASK_ID']}/cancel", headers=key).json()
print(answer["data"].get("status") or answer["error"]["code"])`,
};

/** POST /tasks with the fields of one action. */
export function pythonCreate(root: string, fields: Readonly<Record<string, string | number>>): string {
  const data = Object.entries(fields).map(([name, value]) => `"${name}": "${value}"`);
  return `${headOf(root)}
import uuid

with open("novel.txt", "rb") as book:
    answer = requests.post(
        f"{base}/tasks",
        headers={**key, "Idempotency-Key": str(uuid.uuid4())},
        data={${data.join(', ')}},
        files={"file": book},
    ).json()
if not answer["success"]:
    raise SystemExit(answer["error"])
print(answer["data"]["task_id"])`;
}

function headOf(root: string): string {
  return `import os, requests

base = "${root}/api/v1"
key = {"Authorization": f"Bearer {os.environ['TOLEDO_API_KEY']}"}
`;
}
