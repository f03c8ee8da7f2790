# A gateway in a container: docs/how-to/deploy.md says how to build and run it.

FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# the image brings its own Node: that of the checkout is left out
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/node-linux-* node_modules/.bin/node

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build

FROM node:24-bookworm-slim
# tini is process 1: it passes SIGTERM on, and reaps what the processes of tools leave
RUN apt-get update && apt-get install --yes --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build /app/dist ./
COPY --from=packages /app/node_modules ./node_modules
RUN mkdir /data && chown node:node /data
USER node
ENV NODE_ENV=production BELAY_HOST=0.0.0.0 BELAY_PORT=7077 BELAY_STORE=/data/belay.sqlite XDG_STATE_HOME=/data/state
VOLUME /data
EXPOSE 7077
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.BELAY_PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/usr/bin/tini", "--", "/app/bin/belay"]
CMD ["serve"]
