// The harness of the provider contract at a stand-in.
import type { Provider } from '../../../src/core/contracts/provider.ts';
import type { ContractPlay, ProviderHarness } from '../../contract/provider.ts';
import { until } from '../until.ts';
import { type Dialect, openStandIn, type Play } from './stand-in.ts';

type Call = NonNullable<ContractPlay['calls']>[number];
const callOf = ({ name, arguments: written, callId }: Call): NonNullable<Play['calls']>[number] => [
  name,
  JSON.parse(written),
  callId,
];

/** Opens a harness for a provider at the stand-in of a dialect. */
export async function openContractHarness(
  dialect: Dialect,
  provider: (url: string) => Provider,
): Promise<ProviderHarness> {
  const endpoint = await openStandIn(dialect);
  return {
    provider: provider(endpoint.url),
    async play({ text, calls = [], half, ends }) {
      const all = [...calls, ...(half ? [half] : [])].map(callOf);
      const hang = half ? 'arguments' : 'after_text';
      endpoint.play({
        ...(text !== undefined && { text }),
        ...(all.length > 0 && { calls: all }),
        ...(ends === 'hang' && { hang }),
        ...(ends === 'fail' && { status: 401 }),
      });
    },
    requestCount: async () => endpoint.requests.length,
    async hanging() {
      await until(() => endpoint.last?.isHanging, { what: 'the response to hang' });
    },
    close: async () => endpoint.close(),
  };
}
