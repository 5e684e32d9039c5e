declare const made: unique symbol;

/** Code to copy. Only this module makes it; `server/test/browser/snippets.test.ts` and `webhook-code.test.ts` run all of it. */
export type Snippet = string & { readonly [made]: true };

interface Start {
  publicUrl: string;
  experienceId: string;
}

/** Two lines of HTML. `endpoint` is `public` for pages of other sites. */
export function htmlSnippet({ publicUrl, experienceId, endpoint = 'browser' }: HtmlFacts): Snippet {
  return lines(
    `<script src=${attribute(`${publicUrl}/sdk/v2/session-launch.js`)}></script>`,
    `<session-experience experience-id=${attribute(experienceId)}${endpoint === 'public' ? ' door="public"' : ''}></session-experience>`,
  );
}

interface HtmlFacts extends Start {
  endpoint?: 'browser' | 'public';
}

/** A React component. */
export function reactSnippet({ publicUrl, experienceId }: Start): Snippet {
  return lines(
    "import { ExperiencePlayer } from '@session-launch/react';",
    '',
    'export function Character() {',
    `  return <ExperiencePlayer experienceId=${attribute(experienceId)} baseUrl=${attribute(publicUrl)} />;`,
    '}',
  );
}

/**
 * A relay for Express, with the key in `LAUNCH_KEY`. The function that recognises the visitor is imported from a file of the reader's:
 * a copy that runs without that file would let every visitor create sessions.
 */
export function relaySnippet({ publicUrl, experienceId }: Start): Snippet {
  return lines(
    "import { createRelay, SessionLaunch, toExpress } from '@session-launch/backend';",
    "import express from 'express';",
    '// Your own sign-in: returns the user of a request, or null.',
    "import { userOf } from './sign-in.js';",
    '',
    'const client = new SessionLaunch({',
    `  baseUrl: ${jsString(publicUrl)},`,
    '  apiKey: process.env.LAUNCH_KEY,',
    '});',
    'const relay = createRelay(client, {',
    '  authorize: async (request) => {',
    '    const user = await userOf(request);',
    '    return user && { userId: user.id };',
    '  },',
    `  experiences: [${jsString(experienceId)}],`,
    '});',
    'const app = express();',
    "app.all('/api/launch', toExpress(relay.mint));",
    'app.listen(3000);',
  );
}

/** The lines of a page that uses the relay. */
export function relayPageSnippet({ publicUrl, experienceId }: Start): Snippet {
  return lines(
    `<script src=${attribute(`${publicUrl}/sdk/v2/session-launch.js`)}></script>`,
    `<session-experience experience-id=${attribute(experienceId)} relay-url="/api/launch"></session-experience>`,
  );
}

/** A mint in Node.js, with the key in `LAUNCH_KEY`. It prints the session, which contains no credential. */
export function nodeSnippet({ publicUrl, experienceId }: Start): Snippet {
  return lines(
    "import { SessionLaunch } from '@session-launch/backend';",
    '',
    'const client = new SessionLaunch({',
    `  baseUrl: ${jsString(publicUrl)},`,
    '  apiKey: process.env.LAUNCH_KEY,',
    '});',
    'const { session, launch } = await client.sessions.mint({',
    `  experienceId: ${jsString(experienceId)},`,
    '});',
    '// Send `launch` to your page. It contains a token: do not log it.',
    'console.log(session.sessionId, launch.expiresAt);',
  );
}

/** Runs the code of `nodeSnippet` in `mint.mjs`, with the line of `keyVariableSnippet` in `.env`. */
export const nodeCommand = 'node --env-file=.env mint.mjs';

/** A mint from a script on a page of an allowed origin. */
export function fetchSnippet({ publicUrl, experienceId }: Start): Snippet {
  return lines(
    `const response = await fetch(${jsString(`${publicUrl}/v1/browser-sessions`)}, {`,
    "  method: 'POST',",
    "  headers: { 'Content-Type': 'application/json' },",
    `  body: JSON.stringify({ experienceId: ${jsString(experienceId)} }),`,
    '});',
    'if (!response.ok) throw new Error(await response.text());',
    'const { launch } = await response.json();',
  );
}

interface CurlFacts {
  publicUrl: string;
  /** Default: a mint from a backend. */
  route?: 'sessions' | 'browser-sessions' | 'public-sessions';
  /** An API key, or the variable of the shell that has it. A page sends none. */
  key?: { text: string } | { variable: string };
  headers?: Record<string, string>;
  body: { experienceId: string } & Record<string, unknown>;
}

/** A mint with curl. */
export function curlSnippet({ publicUrl, route = 'sessions', key, headers = {}, body }: CurlFacts): Snippet {
  const authorization =
    key === undefined
      ? []
      : [
          'variable' in key
            ? `"Authorization: Bearer $${key.variable}"`
            : shellWord(`Authorization: Bearer ${key.text}`),
        ];
  const others = Object.entries({ ...headers, 'Content-Type': 'application/json' });
  return [
    `curl -X POST ${shellWord(`${publicUrl}/v1/${route}`)}`,
    ...[...authorization, ...others.map(([name, value]) => shellWord(`${name}: ${value}`))].map(
      (header) => `-H ${header}`,
    ),
    `-d ${shellWord(JSON.stringify(body))}`,
  ].join(' \\\n  ') as Snippet;
}

/** The line of an `.env` file that the other snippets expect. */
export function keyVariableSnippet(key: string): Snippet {
  return lines(`LAUNCH_KEY=${key}`);
}

/** Creates a key of the demo project, for a reader who has lost the first one. */
export function createKeySnippet(projectId: string): Snippet {
  return lines(
    `npx session-launch keys create --project ${shellWord(projectId)} --mode test --scope sessions:create`,
  );
}

/** The line of an `.env` file that the receivers of webhooks expect. */
export function webhookVariableSnippet(secret: string): Snippet {
  return lines(`WEBHOOK_SECRET=${secret}`);
}

/** How to run each receiver of `webhookSnippets`, saved under the name in the command, with the line of `webhookVariableSnippet` in `.env`. */
export const webhookCommands = {
  node: 'node --env-file=.env receiver.mjs',
  python: 'env $(cat .env) python3 receiver.py',
  go: 'env $(cat .env) go run receiver.go',
} as const;
export type WebhookLanguage = keyof typeof webhookCommands;

/** Receivers on port 3000 that verify each request and print the event. */
export const webhookSnippets: Record<WebhookLanguage, Snippet> = {
  node: lines(
    "import { createServer } from 'node:http';",
    "import { buffer } from 'node:stream/consumers';",
    "import { verifyWebhook, WebhookError } from '@session-launch/backend';",
    '',
    'createServer(async (request, response) => {',
    '  try {',
    '    const body = await buffer(request);',
    '    const event = await verifyWebhook({ headers: request.headers, body }, process.env.WEBHOOK_SECRET);',
    '    console.log(event.id, event.type);',
    '    response.writeHead(204).end();',
    '  } catch (error) {',
    '    response.writeHead(error instanceof WebhookError ? 400 : 500).end();',
    '  }',
    '}).listen(3000);',
  ),
  python: lines(
    'import base64, hashlib, hmac, json, os, time',
    'from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer',
    '',
    'KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))',
    '',
    '',
    'def is_signed(headers, body):',
    '    event_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")',
    '    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:',
    '        return False',
    '    signed = f"{event_id}.{timestamp}.".encode() + body',
    '    expected = b"v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest())',
    '    signatures = headers.get("webhook-signature", "").encode().split()',
    '    return any(hmac.compare_digest(expected, one) for one in signatures)',
    '',
    '',
    'class Receiver(BaseHTTPRequestHandler):',
    '    def do_POST(self):',
    '        body = self.rfile.read(int(self.headers.get("content-length", 0)))',
    '        if is_signed(self.headers, body):',
    '            print(self.headers["webhook-id"], json.loads(body)["type"], flush=True)',
    '            self.send_response(204)',
    '        else:',
    '            self.send_response(400)',
    '        self.end_headers()',
    '',
    '',
    'ThreadingHTTPServer(("", 3000), Receiver).serve_forever()',
  ),
  go: lines(
    'package main',
    '',
    'import (',
    '\t"crypto/hmac"',
    '\t"crypto/sha256"',
    '\t"encoding/base64"',
    '\t"encoding/json"',
    '\t"fmt"',
    '\t"io"',
    '\t"log"',
    '\t"net/http"',
    '\t"os"',
    '\t"strconv"',
    '\t"strings"',
    '\t"time"',
    ')',
    '',
    'func isSigned(header http.Header, body, key []byte) bool {',
    '\ttimestamp := header.Get("webhook-timestamp")',
    '\tseconds, err := strconv.ParseInt(timestamp, 10, 64)',
    '\tif err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {',
    '\t\treturn false',
    '\t}',
    '\tmac := hmac.New(sha256.New, key)',
    '\tfmt.Fprintf(mac, "%s.%s.%s", header.Get("webhook-id"), timestamp, body)',
    '\texpected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))',
    '\tfor _, signature := range strings.Fields(header.Get("webhook-signature")) {',
    '\t\tif hmac.Equal([]byte(signature), expected) {',
    '\t\t\treturn true',
    '\t\t}',
    '\t}',
    '\treturn false',
    '}',
    '',
    'func main() {',
    '\tsecret := strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_")',
    '\tkey, err := base64.StdEncoding.DecodeString(secret)',
    '\tif err != nil || len(key) == 0 {',
    '\t\tlog.Fatal("WEBHOOK_SECRET must contain the secret of the webhook")',
    '\t}',
    '\thttp.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {',
    '\t\tbody, err := io.ReadAll(http.MaxBytesReader(response, request.Body, 1<<20))',
    '\t\tvar event struct{ Type string }',
    '\t\tif err != nil || !isSigned(request.Header, body, key) || json.Unmarshal(body, &event) != nil {',
    '\t\t\tresponse.WriteHeader(http.StatusBadRequest)',
    '\t\t\treturn',
    '\t\t}',
    '\t\tfmt.Println(request.Header.Get("webhook-id"), event.Type)',
    '\t\tresponse.WriteHeader(http.StatusNoContent)',
    '\t})',
    '\tlog.Fatal(http.ListenAndServe(":3000", nil))',
    '}',
  ),
};

function lines(...parts: string[]): Snippet {
  return parts.join('\n') as Snippet;
}

/** A word of a shell command. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A JavaScript string, which also stays inside of a `<script>` element. */
export function jsString(text: string): string {
  return `'${text.replace(/[\\'<\p{Cc}\u2028\u2029]/gu, (character) =>
    /[\\']/.test(character) ? `\\${character}` : `\\u{${character.charCodeAt(0).toString(16)}}`,
  )}'`;
}

/** The value of an attribute in HTML and JSX. */
export function attribute(text: string): string {
  return `"${text.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`)}"`;
}
