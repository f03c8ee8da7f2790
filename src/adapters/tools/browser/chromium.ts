// Finds Chromium, and builds its arguments: no window, no profile of a user, and no way around its proxy.
import { findProgram } from '../../processes/program-path.ts';

const programNames = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  '/snap/bin/chromium',
  '/opt/google/chrome/chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Returns the path in `BELAY_CHROMIUM`, or that of an installed one; null: there is none. */
export function findChromium(environment: Readonly<Record<string, string | undefined>> = process.env): string | null {
  const { BELAY_CHROMIUM: named, PATH: path } = environment;
  return findProgram(named === undefined || named === '' ? programNames : [named], path);
}

/** In the place of servers that it calls by itself, whatever its flags. No host has this name, so the proxy never looks it up. */
const noServer = 'http://nobody.invalid/';

/** Features that talk to the network, or to its neighbors, by themselves; and pages of suggestions, which each window prepares with a second of CPU and nobody sees. */
const features = [
  'AutofillServerCommunication',
  'CertificateTransparencyComponentUpdater',
  'DialMediaRouteProvider',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'Translate',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
];

/** Whether Chromium, as the user of this process, would have to run without its sandbox: it refuses to run as root with one. */
export const isWithoutSandbox = (): boolean => process.getuid?.() === 0;

export interface ChromiumOptions {
  /** The folder of its profile. */
  readonly profile: string;
  readonly proxyPort: number;
  readonly sandbox: boolean;
}

/** Returns the arguments of a Chromium that talks to its host by descriptors 3 and 4, and ends when they are closed. */
export const chromiumArguments = ({ profile, proxyPort, sandbox }: ChromiumOptions): readonly string[] => [
  '--headless=new',
  ...(sandbox ? [] : ['--no-sandbox']),
  '--remote-debugging-pipe',
  `--user-data-dir=${profile}`,
  // loopback goes through the proxy too, names are looked up there, and nothing goes past it
  `--proxy-server=http://127.0.0.1:${proxyPort}`,
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  `--apps-gallery-update-url=${noServer}`,
  `--component-updater=url-source=${noServer}`,
  `--gaia-url=${noServer}`,
  '--disable-quic',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-client-side-phishing-detection',
  '--disable-component-extensions-with-background-pages',
  '--disable-component-update',
  '--disable-crash-reporter',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  `--disable-features=${features.join(',')}`,
  '--disable-sync',
  '--hide-scrollbars',
  '--metrics-recording-only',
  '--mute-audio',
  '--no-default-browser-check',
  '--no-first-run',
  '--no-pings',
  '--no-service-autorun',
  '--password-store=basic',
  '--use-mock-keychain',
  'about:blank',
];
