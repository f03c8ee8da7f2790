// Starts the page: takes the credentials out of the address bar, connects, and shows the app.
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { keepPresses } from './kept-press.ts';
import { startCredentials } from './page-state/credentials.ts';
import { watchInvites } from './page-state/invite-link.ts';
import { watchLinks } from './page-state/pasted-link.ts';
import { applyTheme, readTheme } from './page-state/theme.ts';

applyTheme(readTheme());
watchInvites(); // before the credentials: a link may have both
const { credentials, undecided } = startCredentials(); // first: before anything could read the address bar
watchLinks(undecided);
keepPresses(document);
const root = document.getElementById('root');
if (root) createRoot(root).render(<App initialCredentials={credentials} />);
