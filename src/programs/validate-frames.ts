// Switches the validation of server frames on where Belay is developed: in a checkout, not in an installed package.
import type { ValidateFrame } from '../client/frame-socket.ts';
import { isCheckout } from './command-names.ts';

/** Resolves with undefined in an installed package. */
export async function frameValidator(): Promise<ValidateFrame | undefined> {
  if (!isCheckout) return undefined;
  const { validateServerFrame } = await import('../wire/validate-server-frame.ts');
  return validateServerFrame;
}
