// Fetches an address by the transport for model endpoints, with the proxies and certificates of its environment. Prints status and body.
import { createHttpFetch } from '../../src/adapters/models/transport/http-fetch.ts';

const [url = ''] = process.argv.slice(2);
try {
  const response = await createHttpFetch()(url, { method: 'POST', body: '{}' });
  console.log(`${response.status} ${await response.text()}`);
} catch (error) {
  const { cause } = error as Error; // the fetch rejects with errors only
  console.log(`failed: ${cause instanceof Error ? cause.message : String(error)}`);
}
