# Image of the service: docs/deployment.md has the steps.
# Tested on arm64 with buildah and base images made by debootstrap, as user 10001 on a read-only file system. Not tested with Docker, with the
# base images that the ARGs name, or on x64.
ARG NODE_IMAGE=docker.io/library/node:24-bookworm-slim
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim

# Our own packages, as npm publishes them.
FROM ${NODE_IMAGE} AS packages
WORKDIR /build
COPY . .
RUN npm ci --ignore-scripts --no-audit --no-fund \
  && mkdir /packed \
  && node scripts/pack.mjs /packed

# Their dependencies, in the versions of the lock file, without those for development.
FROM ${NODE_IMAGE} AS installed
WORKDIR /app
COPY --from=packages /build/package.json /build/package-lock.json ./
COPY --from=packages /packed /packed
RUN set -eu; \
  for folder in contract process engine moonshine runtime console server sdk/backend sdk/browser; do \
    name=$(echo "$folder" | sed 's,sdk/,,; s,^server$,,'); \
    mkdir -p "$folder"; \
    tar -xzf /packed/session-launch${name:+-$name}-[0-9]*.tgz -C "$folder" --strip-components=1; \
  done; \
  npm ci --ignore-scripts --no-audit --no-fund --omit=dev --workspace server; \
  find . -name '*.map' -delete; \
  find node_modules/onnxruntime-node/bin/*/* -mindepth 1 -maxdepth 1 \
    ! -path "*/$(node -p 'process.platform + "/" + process.arch')" -exec rm -r {} +

# Debian with Node.js, without npm.
FROM ${BASE_IMAGE}
ARG VERSION=0.2.0
LABEL org.opencontainers.image.title="Session Launch Service" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.licenses="Apache-2.0"
COPY --from=installed /usr/local/bin/node /usr/local/bin/node
COPY --from=installed /app /app
COPY deploy/container/session-launch /usr/local/bin/session-launch
# Speaks Spanish, French, German, Italian, Portuguese, Dutch and Polish, as a separate program (GPL-3.0).
RUN apt-get update \
  && apt-get install -y --no-install-recommends espeak-ng \
  && rm -rf /var/lib/apt/lists/*
RUN groupadd --gid 10001 session-launch \
  && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin session-launch \
  && install -d -m 700 -o 10001 -g 10001 /data
ENV NODE_ENV=production HOST=0.0.0.0 ADMIN_HOST=0.0.0.0 DATA_DIR=/data
# By number, so that Kubernetes can verify that it is not root.
USER 10001:10001
WORKDIR /data
VOLUME /data
# 8080: public. 8081: admin; never publish it to the internet.
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/healthz`, { signal: AbortSignal.timeout(2500) }).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["session-launch"]
CMD ["serve"]
