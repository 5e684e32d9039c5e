#!/bin/sh
# Creates the secrets of compose.yaml and of deploy/kubernetes, readable only by you. Needs openssl 1.1.1 or newer. Existing files are kept.
# Run it with: sh deploy/secrets.sh FOLDER HOST-OF-POSTGRESQL
set -eu
umask 077
folder=${1:?the folder to write to}
host=${2:?the host name of PostgreSQL}
mkdir -p "$folder"

put() {
  if [ -e "$folder/$1" ]; then cat >/dev/null; else cat >"$folder/$1.new" && mv "$folder/$1.new" "$folder/$1"; fi
}

for name in ADMIN_TOKEN METRICS_TOKEN RUNTIME_TOKEN POSTGRES_PASSWORD; do openssl rand -hex 32 | put "$name"; done
printf 'postgres://session_launch:%s@%s:5432/session_launch\n' "$(cat "$folder/POSTGRES_PASSWORD")" "$host" | put DATABASE_URL

# An Ed25519 key as a JSON Web Key: the last 32 bytes of both encodings are the key itself.
base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
key=$folder/signing-key.pem
openssl genpkey -algorithm ed25519 -out "$key"
d=$(openssl pkey -in "$key" -outform DER | tail -c 32 | base64url)
x=$(openssl pkey -in "$key" -pubout -outform DER | tail -c 32 | base64url)
rm "$key"
printf '{ "keys": [{ "kty": "OKP", "crv": "Ed25519", "d": "%s", "x": "%s" }] }\n' "$d" "$x" | put signing-keys.json
echo "$folder: $(ls "$folder" | tr '\n' ' ')"
