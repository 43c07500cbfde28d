# syntax=docker/dockerfile:1
# One image for every role: `serve`, `serve --role api`, `serve --role worker`, and the operator commands.
# Debian, not Alpine: the embedded PostgreSQL is built against glibc. The base image brings Node 26, so the Node that
# npm installs for machines without one (211 MB) is left out.

# A tag can be moved to other bytes: --build-arg NODE_IMAGE=node:26-bookworm-slim@sha256:… pins them.
ARG NODE_IMAGE=node:26-bookworm-slim

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Brings PostgreSQL 18 for this architecture. The lock file pins every package with its checksum.
RUN npm ci --omit=dev && npm cache clean --force \
  && rm -rf node_modules/node-linux-* node_modules/.bin/node \
  # The built-in engine's runtime comes with programs for every system and processor (245 to 265 MB for the others).
  && find node_modules/onnxruntime-node/bin -mindepth 3 -maxdepth 3 ! -path "*/linux/$(node -p process.arch)" -exec rm -rf {} +

FROM ${NODE_IMAGE}
# PostgreSQL wants a user with a name, Kubernetes one with a number.
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin toledo \
  && install --directory --owner=toledo --group=toledo --mode=0700 /data
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json ./
COPY bin ./bin
COPY client ./client
COPY docs ./docs
COPY migrations ./migrations
COPY models ./models
COPY src ./src
RUN ln -s /app/bin/toledo /usr/local/bin/toledo

ENV TOLEDO_HOST=0.0.0.0 \
  TOLEDO_PORT=8080 \
  TOLEDO_DATA_DIR=/data \
  NODE_COMPILE_CACHE=/tmp/toledo-compiled
USER 10001:10001
# Embedded database, files and secret when nothing else is configured; else only temporary files.
VOLUME /data
EXPOSE 8080
# A stop drains for up to 20 s: give it that (docker stop --time 25).
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.TOLEDO_PORT || 8080}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/app/bin/toledo"]
CMD ["serve"]
