// Clients for tests: they check every frame of the server against its schema.
import * as client from '../../src/client/client.ts';
import { validateServerFrame } from '../../src/wire/validate-server-frame.ts';
import { scaled } from './time-scale.ts';

const checked = (options: client.ConnectOptions): client.ConnectOptions => ({
  validateFrame: validateServerFrame,
  welcomeMs: scaled(10_000),
  ...options,
});

export const connectChecked = (options: client.ConnectOptions): Promise<client.Client> =>
  client.connect(checked(options));
export const createCheckedClient = (options: client.ConnectOptions): client.ConnectingClient =>
  client.createClient(checked(options));
