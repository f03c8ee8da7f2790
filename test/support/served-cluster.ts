// `belay serve` as hosts of a cluster: processes of their own on a PostgreSQL and a NATS server.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DescribedHost } from '../../src/core/session/directory-api.ts';
import { type ConfigFile, newWorkspace, type ServedBelay, serveBelay, type TestSpeaker, tokenOf } from './belay.ts';
import type { TestEndpoint } from './endpoint.ts';
import type { NatsServer } from './nats.ts';
import type { PostgresServer } from './postgres.ts';

export interface ServedCluster {
  /** Starts a host. `bus`: more of its settings. */
  start(config?: ConfigFile, bus?: object): Promise<ServedBelay>;
}

export interface ClusterServers {
  readonly database: PostgresServer;
  /** It knows the user `belay` with the password `the-password`. */
  readonly nats: NatsServer;
  readonly endpoint: TestEndpoint;
}

export const clusterKey = 'the-key-of-the-cluster-in-these-tests';
export const clusterMetricsToken = 'the-token-of-the-metrics';

/** Makes a cluster with an empty store. */
export async function newServedCluster({ database, nats, endpoint }: ClusterServers): Promise<ServedCluster> {
  const { host, database: name, user } = await database.newDatabase();
  const workspace = newWorkspace();
  const metricsTokenFile = join(workspace.path, 'metrics.token');
  const files = { keyFile: join(workspace.path, 'bus.key'), passwordFile: join(workspace.path, 'nats.password') };
  writeFileSync(files.keyFile, `${clusterKey}\n`, { mode: 0o600 });
  writeFileSync(files.passwordFile, 'the-password\n', { mode: 0o600 });
  writeFileSync(metricsTokenFile, clusterMetricsToken, { mode: 0o600 });
  const store = `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}`;
  return {
    start: (config = {}, bus = {}) =>
      serveBelay(endpoint, {
        workspace,
        config: {
          store,
          metricsTokenFile,
          bus: { servers: [nats.address()], user: 'belay', ...files, ...bus },
          ...config,
        },
      }),
  };
}

interface HostList {
  readonly status: number;
  readonly code?: string;
  readonly hosts: readonly DescribedHost[];
}

/** Asks a host for the hosts of its cluster. */
export async function hostsOf({ url }: ServedBelay, speaker: TestSpeaker = 'moderator'): Promise<HostList> {
  const reply = await fetch(new URL('/api/hosts', url.replace('ws:', 'http:')), {
    headers: { authorization: `Bearer ${tokenOf(speaker)}` },
  });
  const body = (await reply.json()) as Omit<HostList, 'status'>;
  return { status: reply.status, ...body };
}
