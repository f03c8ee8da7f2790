// Where Chromium is, and how it is started: without a window, without a profile of anybody's, and without a way around its proxy.
import { findProgram } from '../../process/program-path.ts';

const places = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  '/snap/bin/chromium',
  '/opt/google/chrome/chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** `BELAY_CHROMIUM`, or one that is installed; null: there is none. */
export function findChromium(environment: Readonly<Record<string, string | undefined>> = process.env): string | null {
  const { BELAY_CHROMIUM: named, PATH: path } = environment;
  return findProgram(named === undefined || named === '' ? places : [named], path);
}

/** For those whom it calls by itself, whatever else it is told. Of this name there never is a host, so the proxy asks nobody for it. */
const nobody = 'http://nobody.invalid/';

/** Features that talk to the network, or to its neighbors, by themselves. */
const features = [
  'AutofillServerCommunication',
  'CertificateTransparencyComponentUpdater',
  'DialMediaRouteProvider',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'Translate',
];

/** It talks with its host by descriptors 3 and 4, and ends when they are closed. */
export const chromiumArguments = (profile: string, proxyPort: number): readonly string[] => [
  '--headless=new',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), // it refuses to run as root with one
  '--remote-debugging-pipe',
  `--user-data-dir=${profile}`,
  // loopback goes by the proxy too, names are looked up there, and nothing is said past it
  `--proxy-server=http://127.0.0.1:${proxyPort}`,
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  `--apps-gallery-update-url=${nobody}`,
  `--component-updater=url-source=${nobody}`,
  `--gaia-url=${nobody}`,
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
