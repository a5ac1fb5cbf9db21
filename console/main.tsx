// Starts the console: design, session, shell.

import { render } from 'preact';
import './design/tokens.css';
import './design/base.css';
import './design/controls.css';
import './design/components.css';
import './app/shell.css';
import './app/over-page.css';
import { startSession } from './api/session.ts';
import { App } from './app/app.tsx';
import { repairLanguage } from './app/language.ts';
import { applyTheme } from './app/preferences.ts';

repairLanguage();
applyTheme();
const root = document.querySelector('#app');
if (root !== null) render(<App />, root);
void startSession();
