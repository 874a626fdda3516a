#!/bin/sh
# Entry point of the container: creates a self-signed certificate for the host of PUBLIC_URL if TLS_FOLDER has none, then
# executes the given command. Browsers keep the cookies of the service over https only.
set -eu

folder=${TLS_FOLDER:?set TLS_FOLDER to the folder of tls.crt and tls.key}
if [ ! -s "$folder/tls.crt" ] || [ ! -s "$folder/tls.key" ]; then
  host=${PUBLIC_URL:?set PUBLIC_URL}
  host=${host#*://}
  host=${host%%/*}
  host=${host%:*}
  case $host in
    *[!0-9.]*) name="DNS:$host" ;;
    *) name="IP:$host" ;;
  esac
  # In a subshell, so that the command below keeps its umask.
  if ! said=$(
    umask 077
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 397 \
      -subj "/CN=$host" -addext "subjectAltName=$name,DNS:localhost,IP:127.0.0.1" \
      -keyout "$folder/tls.key" -out "$folder/tls.crt" 2>&1
  ); then
    echo "Cannot create a certificate for $host in $folder: $said" >&2
    exit 1
  fi
  echo "Created a self-signed certificate for $host in $folder"
fi
exec "$@"
