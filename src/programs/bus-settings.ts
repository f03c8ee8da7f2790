// The setting `bus` of `belay serve`: the servers and the files of a host in a cluster.
import type { ParseArgsOptionsConfig } from 'node:util';
import * as z from 'zod';
import { ConfigError } from './config-error.ts';
import { parseStoreAddress } from './store-address.ts';

const maxDrainMs = 86_400_000;

const file = z.string().min(1);

export const busSchema = z.strictObject({
  /** Addresses of NATS servers. */
  servers: z.array(z.string().min(1)).min(1),
  /** A file with the key of the cluster. */
  keyFile: file.optional(),
  user: z.string().min(1).optional(),
  /** A file with the password of the user, or with a token. */
  passwordFile: file.optional(),
  /** A file with credentials of NATS (`.creds`). */
  credentialsFile: file.optional(),
  /** Whether the connections are encrypted, or with which files. Left out: as the server wants it. */
  tls: z
    .union([
      z.boolean(),
      z.strictObject({ caFile: file.optional(), certFile: file.optional(), keyFile: file.optional() }),
    ])
    .optional(),
  /** Starts beside hosts whose sessions are configured otherwise: for the time of an update. */
  allowOtherConfiguration: z.boolean().default(false),
  /** How long what runs here may go on after SIGTERM, while its sessions are given to the other hosts. */
  drainMs: z.int().min(0).max(maxDrainMs).default(20_000),
});

export type BusSettings = z.output<typeof busSchema>;

/** The settings that have one; undefined: this host is in no cluster. */
interface WithBus {
  readonly bus?: BusSettings | undefined;
}

export const busFlags = {
  bus: { type: 'string', multiple: true },
  'bus-key': { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

const addressPattern = /^(?:(?:nats|tls):\/\/)?[^\s@/]+$/;

/** Throws a `ConfigError` that names the setting, and repeats no address that may have a password. */
export function assertBus({ bus, store }: WithBus & { readonly store: string }): void {
  if (!bus) return;
  const { servers, keyFile, user, passwordFile, credentialsFile } = bus;
  if (!servers.every((server) => addressPattern.test(server)))
    throw new ConfigError(
      'The setting bus.servers is invalid: an address has the form nats.example.org:4222, without a name and a password, which would stand in lists of processes. Those are given by bus.user and bus.passwordFile, or bus.credentialsFile.',
    );
  const { kind, name } = parseStoreAddress(store);
  if (kind !== 'postgres')
    throw new ConfigError(
      `The setting bus is invalid: the store is ${kind === 'memory' ? name : `the file ${name}`}, and the hosts of a cluster share their sessions in PostgreSQL: --store postgres://USER@HOST/DATABASE.`,
    );
  if (keyFile === undefined)
    throw new ConfigError(
      'The setting bus.keyFile is missing: a file with the key of the cluster, the same on all hosts. Make one: (umask 077; openssl rand -hex 32 > bus.key)',
    );
  if (credentialsFile !== undefined && (user ?? passwordFile) !== undefined)
    throw new ConfigError(
      'The setting bus is invalid: credentialsFile and a user or a password are set, and only one of them may be.',
    );
}

/** Returns the files of a bus with secrets in them, by what they are. */
export function secretFilesOf({ bus }: WithBus): readonly (readonly [name: string, path: string])[] {
  const tls = typeof bus?.tls === 'object' ? bus.tls : undefined;
  const files = [
    ['file with the key of the cluster', bus?.keyFile],
    ['file with the password of the bus', bus?.passwordFile],
    ['file with the credentials of the bus', bus?.credentialsFile],
    ['file with the TLS key of the bus', tls?.keyFile],
  ] as const;
  return files.flatMap(([name, path]) => (path === undefined ? [] : [[name, path] as const]));
}
