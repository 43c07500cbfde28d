# syntax=docker/dockerfile:1
# One image for every role: `serve`, `serve --role api`, `serve --role worker`, and the operator commands.
# Debian, not Alpine: the embedded PostgreSQL and the bundled Node are built against glibc.

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Brings its own Node 26 and PostgreSQL 18 for this architecture, pinned with checksums by the lock file.
RUN npm ci --omit=dev && npm cache clean --force

FROM debian:bookworm-slim
# The bundled Node needs libatomic; everything else it links to is in the base image.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends libatomic1 \
  && rm -rf /var/lib/apt/lists/* \
  # PostgreSQL wants a user with a name, Kubernetes one with a number.
  && useradd --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin toledo \
  && install --directory --owner=toledo --group=toledo --mode=0700 /data
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json ./
COPY bin ./bin
COPY client ./client
COPY migrations ./migrations
COPY src ./src
RUN ln -s /app/bin/toledo /usr/local/bin/toledo \
  && ln -s /app/node_modules/node-linux-*/bin/node /usr/local/bin/node

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
