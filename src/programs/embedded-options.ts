// The configuration of a gateway's runtime for one in the process of its only client.
import type { RuntimeConfig } from '../core/runtime/config.ts';
import type { RuntimeOptions } from '../embed/runtime-options.ts';

/** Nobody waits for an acknowledgement: the reply to a stop is its receipt. */
export const withoutAcknowledgements = ({ session, ...config }: RuntimeConfig): RuntimeConfig => ({
  ...config,
  session: (id, opened) => ({ ...session?.(id, opened), acknowledge: 'off' }),
});

/** Returns the options of an embedded runtime. The library keeps the sessions of outside agents itself. */
export function embeddedOptions(config: RuntimeConfig): RuntimeOptions {
  const { outsideAgents: _, processes: __, ...options } = withoutAcknowledgements(config);
  return options;
}
