import './parts/tokens.css';
import './parts/base.css';
import { render } from 'preact';
import { noteInput } from './api/attention.ts';
import { App } from './shell/app.tsx';
import { keepFocus } from './shell/keep-focus.ts';

noteInput();
keepFocus();
render(<App />, document.getElementById('console')!);
