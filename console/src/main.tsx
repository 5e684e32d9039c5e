import './parts/tokens.css';
import './parts/base.css';
import { render } from 'preact';
import { App } from './shell/app.tsx';

render(<App />, document.getElementById('console')!);
