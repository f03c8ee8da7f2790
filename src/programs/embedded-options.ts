// The configuration of a gateway's runtime as the options of one that is embedded in the process of its only client.
import type { RuntimeConfig } from '../core/runtime/config.ts';
import type { RuntimeOptions } from '../embed/runtime-options.ts';

/** Returns the options. Nobody waits for an acknowledgement: the reply to a stop is its receipt. The library keeps the sessions of outside agents itself. */
export const embeddedOptions = ({
  session,
  outsideAgents: _,
  processes: __,
  ...options
}: RuntimeConfig): RuntimeOptions => ({
  ...options,
  session: (id, opened) => ({ ...session?.(id, opened), acknowledge: 'off' }),
});
