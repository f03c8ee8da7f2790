// The page of the relay: passes the events to Stately's inspector in a frame, which it loads only when somebody presses the button.
import { createHash } from 'node:crypto';

/** The origin of Stately's inspector: the only other host that the page may connect to. */
export const inspectorOrigin = 'https://stately.ai';

const style =
  '[role=status]{margin:0;padding:.5em 1em;background:#fff3cd;color:#333}body{margin:0;font:16px/1.5 sans-serif}main{max-width:40em;margin:4em auto;padding:0 1em}iframe{border:0;width:100%;height:100vh}';

/** How long the site may take to answer before the page says that it cannot be reached. */
const reachMs = 8_000;

/** The socket is opened again, and sends the whole tree, whenever the inspector in the frame reports that it is ready. */
export const script = `
const intro = document.querySelector('main');
const frame = document.querySelector('iframe');
const notice = document.querySelector('[role=status]');
let socket = null;
let timer;
addEventListener('message', ({ source, origin, data }) => {
  if (source !== frame.contentWindow || origin !== '${inspectorOrigin}' || data?.type !== '@statelyai.connected') return;
  notice.hidden = true;
  clearTimeout(timer);
  socket?.close();
  const key = new URLSearchParams(location.hash.slice(1)).get('key');
  socket = new WebSocket('ws://' + location.host + '/' + (key === null ? '' : '?key=' + encodeURIComponent(key)));
  socket.onmessage = ({ data }) => frame.contentWindow.postMessage(JSON.parse(data), '${inspectorOrigin}');
});
document.querySelector('button').onclick = () => {
  intro.hidden = true;
  frame.hidden = false;
  frame.src = '${inspectorOrigin}/inspect';
  if (navigator.onLine) timer = setTimeout(() => { notice.hidden = false; }, ${reachMs});
  else notice.hidden = false;
};
`;

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Returns the Content-Security-Policy of the page; `hosts` are the names of the relay. */
export const contentSecurityPolicy = (hosts: readonly string[]): string =>
  [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    `connect-src ${hosts.map((host) => `ws://${host}`).join(' ')}`,
    `frame-src ${inspectorOrigin}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' };
const escapeHtml = (text: string): string => text.replace(/[&<"]/g, (char) => escapes[char] ?? char);

const linkTo = (address: string): string => {
  const escaped = escapeHtml(address);
  return `<a href="${escaped}">${escaped}</a>`;
};

/** Returns the page. `ownPage`: the address of the inspector of Belay's own page, which needs no other site; null: not known. */
export const pageWith = (ownPage: string | null): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Belay in Stately's inspector</title>
<style>${style}</style>
<main>
<h1>Belay in Stately's inspector</h1>
<p>The button loads ${inspectorOrigin}/inspect into this page, and passes on what the actors of this runtime do from now on: the
charts, their states, the types and ids of events, outcomes and causes. Texts of people, models and tools stay here; the
inspector receives their lengths only.</p>
<button>Open the inspector</button>
</main>
<p role="status" hidden>Stately's site cannot be reached from here; Belay's own page shows the same without the internet: ${ownPage === null ? 'open the address of the gateway, and there the inspector' : linkTo(ownPage)}.</p>
<iframe hidden title="Stately's inspector"></iframe>
<script>${script}</script>
</html>
`;
