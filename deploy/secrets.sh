#!/bin/sh
# Creates the secrets of compose.yaml and of deploy/kubernetes, readable only by you. Needs openssl 1.1.1 or newer. Existing secrets are kept.
# Run it with: sh deploy/secrets.sh FOLDER HOST-OF-POSTGRESQL
set -eu
umask 077
folder=${1:?the folder to write to}
host=${2:?the host name of PostgreSQL}
mkdir -p "$folder"

# Writes a secret if it is missing or empty, which an earlier run without openssl may have left.
put() {
  if [ ! -s "$folder/$1" ]; then printf '%s\n' "$2" >"$folder/$1.new" && mv "$folder/$1.new" "$folder/$1"; fi
}

for name in ADMIN_TOKEN METRICS_TOKEN RUNTIME_TOKEN POSTGRES_PASSWORD; do
  value=$(openssl rand -hex 32)
  put "$name" "$value"
done
put DATABASE_URL "postgres://session_launch:$(cat "$folder/POSTGRES_PASSWORD")@$host:5432/session_launch"

# An Ed25519 key as a JSON Web Key: the last 32 bytes of both encodings are the key itself.
base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
key=$folder/signing-key.pem
openssl genpkey -algorithm ed25519 -out "$key"
d=$(openssl pkey -in "$key" -outform DER | tail -c 32 | base64url)
x=$(openssl pkey -in "$key" -pubout -outform DER | tail -c 32 | base64url)
rm "$key"
put signing-keys.json "{ \"keys\": [{ \"kty\": \"OKP\", \"crv\": \"Ed25519\", \"d\": \"$d\", \"x\": \"$x\" }] }"
echo "$folder: $(ls "$folder" | tr '\n' ' ')"
