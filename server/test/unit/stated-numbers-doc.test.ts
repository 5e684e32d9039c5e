import { artMiB, artPerProject, artPixels } from '@session-launch/contract/admin/art';
import { bounds, reportIntervalSeconds } from '@session-launch/contract/wire';
import { expect, test } from 'vitest';
import { readPage } from '../harness/pages.ts';
import {
  grouped,
  hour,
  kib,
  mib,
  million,
  minute,
  numberIn,
  second,
  word,
} from '../harness/stated-numbers.ts';

const src = 'server/src';
const body = numberIn(`${src}/http/bodies/json-body.ts`, 'bodyLimit = ', kib);
const discarded = numberIn(`${src}/http/bodies/json-body.ts`, 'discardLimit = ', mib);
const nesting = numberIn(`${src}/http/bodies/json-body.ts`, 'maxDepth = ');
const adminMiB = numberIn(`${src}/admin/routes.ts`, 'projectFileMiB = ');
const reportMiB = numberIn(`${src}/admin/runtime-routes.ts`, 'reportMiB = ');
const headers = numberIn(`${src}/http/listener/server.ts`, 'maxHeaderSize = ', kib);
const server = (option: string) => numberIn(`${src}/http/listener/server.ts`, `${option}: `, second);
const reserved = numberIn(`${src}/http/listener/connections.ts`, 'reserved = ');
const adminConnections = numberIn(`${src}/start/app.ts`, 'adminConnections = ');
const runtimeConnections = numberIn(`${src}/start/app.ts`, 'runtimeConnections = ');
const openFiles = numberIn(`${src}/web/asset-routes.ts`, 'maxOpenFiles = ');
const inFlight = numberIn(`${src}/start/public-routes.ts`, 'maxInFlight = ');
const queued = numberIn(`${src}/recording/recorder.ts`, 'queueLimit ?? ');
const batchMiB = numberIn(`${src}/recording/recorder.ts`, 'batchBytes ?? ', mib);
const silence = numberIn(`${src}/sessions/silence.ts`, 'silenceMs = ', second);
const silenceEvery = numberIn(`${src}/sessions/silence.ts`, 'lookEveryMs = ', second);
const cachedNames = numberIn(`${src}/content/directory.ts`, 'LookUps(');
const fresh = numberIn(`${src}/store/cache/loading.ts`, 'freshFor = ', second);
const lookUps = numberIn(`${src}/store/cache/look-ups.ts`, 'maxPerNetwork = ');
const refusals = (name: string, unit = 1) => numberIn(`${src}/limits/pace.ts`, `${name} = `, unit);
const perMinute = numberIn(`${src}/previews/redeem.ts`, 'sessionsPerMinute = ');
const login = numberIn(`${src}/operators/authenticate.ts`, 'loginMs = ', hour);
const idle = numberIn(`${src}/operators/authenticate.ts`, 'idleMs = ', minute);
const code = numberIn(`${src}/operators/sign-in.ts`, 'codeMs = ', minute);
const failures = numberIn(`${src}/operators/failed-logins.ts`, 'maxFailures = ');
const oidcMinutes = numberIn(`${src}/operators/oidc.ts`, 'oidcSeconds = ', 60);
const resizer = (name: string, unit = 1) => numberIn(`${src}/art/resizer.ts`, `${name} = `, unit);
const svg = (name: string) => numberIn(`${src}/art/svg-elements.ts`, `${name} = `);
const widths = ['minWidth', 'maxWidth'].map((name) => numberIn(`${src}/web/asset-routes.ts`, `${name} = `));
const [narrowest, widest] = widths;
const resizable = numberIn(`${src}/web/asset-routes.ts`, 'maxResizableBytes = ', mib);
const galleryMiB = numberIn(`${src}/art/gallery.ts`, 'maxCachedBytes = ', mib);
const artReads = numberIn(`${src}/art/gallery.ts`, 'maxReads = ');
const events = (name: string, unit = 1) => numberIn(`${src}/events/hub.ts`, `${name} = `, unit);
const unsent = numberIn(`${src}/events/stream.ts`, 'maxBuffered = ', kib);
const file = (name: string, unit = 1) => numberIn(`${src}/documents/fair-queue.ts`, `${name}: `, unit);
const documents = (name: string, unit = 1) =>
  numberIn(`${src}/documents/document-thread.ts`, `${name}: `, unit);
const admission = (name: string, unit = 1) => numberIn(`${src}/admin/admission.ts`, `${name} = `, unit);
const button = (name: string, unit = 1) => numberIn('contract/src/mint-requests.ts', `${name}: `, unit);
const engine = (name: string) => numberIn(`engine/src/pglite-client.ts`, `${name}: `, second);
const engineRestarts = numberIn(`engine/src/pglite-client.ts`, 'maxFruitlessRestarts = ');
/** Hours after which counts are added up to intervals of this many seconds. */
const addedUp = (seconds: string) =>
  numberIn(`${src}/statistics/tally-roll-up.ts`, `seconds: ${seconds}, afterMs: `);
const pollSeconds = numberIn('console/src/api/events.ts', 'pollMs = ', second);
const examined = numberIn(`${src}/sessions/listing.ts`, 'maxExamined = ');
const usageDays = numberIn(`${src}/admin/overview-routes.ts`, 'maxDays = ');
const defaultDays = numberIn(`${src}/admin/overview-routes.ts`, 'defaultDays = ');
const causes = numberIn(`${src}/statistics/overview.ts`, 'maxRefusals = ');
const namedCauses = numberIn(`${src}/statistics/tally.ts`, 'maxCauses = ');
const origins = numberIn(`${src}/statistics/tally.ts`, 'maxNamed = ');
const countDays = numberIn(`${src}/statistics/tally-rows.ts`, 'keptDays = ');
const page = numberIn(`${src}/admin/requests.ts`, 'maxPage = ');
const grace = numberIn(`${src}/admin/key-routes.ts`, 'defaultGraceSeconds = ');
const replays = numberIn(`${src}/minting/recent-launches.ts`, 'max: ');
const replayMiB = numberIn(`${src}/minting/recent-launches.ts`, 'maxSize: ', mib);
const replayHours = numberIn(`${src}/minting/recent-launches.ts`, 'replayableFor = ', hour);
const key = (name: string) => numberIn(`${src}/keys/api-key.ts`, `${name} = `);
const tagLength = numberIn(`${src}/primitives/locale.ts`, 'maxTagLength = ');
const idempotency = numberIn(`${src}/minting/idempotency-key.ts`, 'maxLength = ');
const violations = numberIn(`${src}/primitives/errors.ts`, 'maxViolations = ');
const drain = (name: string, unit = 1) => numberIn(`${src}/http/listener/drain.ts`, `${name} = `, unit);
const shutdown = numberIn(`${src}/start/serve.ts`, 'shutdownTimeout = ', second);
const clock = numberIn(`${src}/doctor/clock.ts`, 'clockToleranceMs = ', second);
const health = numberIn(`${src}/http/routes/health-routes.ts`, 'checkTimeout = ', second);
const connecting = numberIn(`${src}/store/postgres/connection.ts`, 'connectTimeout = ', second);
const migrationLock = numberIn(`${src}/store/migrations/migrate.ts`, 'lockTimeoutMs = ');
const waitLog = numberIn(`${src}/store/postgres/database-wait.ts`, 'lineMs = ', second);
const watch = (name: string) => numberIn(`${src}/store/postgres/statement-watch.ts`, `${name} = `, second);
const lowSpace = numberIn(`${src}/store/disk-space.ts`, 'lowSpaceBytes = ', mib);
const upkeep = (name: string, unit = 1) => numberIn(`engine/src/maintenance.ts`, `${name} = `, unit);
const backupStall = numberIn(`engine/src/backup-requests.ts`, 'stallMs = ', second);
const hung = numberIn(`${src}/runtimes/heartbeat.ts`, 'hungAfter = ');
const spareAfter = numberIn(`${src}/runtimes/supervisor.ts`, 'stableAfterMs = ', second);
const ended = numberIn('runtime/src/service/reporter.ts', 'maxEnded = ');
const backlog = numberIn('runtime/src/conversation/outbox.ts', 'backlogBytes = ', kib);
const stall = numberIn('runtime/src/sockets/heartbeat.ts', 'stalledChecks = ', second);
const notice = numberIn('runtime/src/conversation/session-timers.ts', 'noticeSeconds = ');
const modelSilence = numberIn('runtime/src/conversation/piece-queue.ts', 'mindMs = ', second);
const pings = numberIn('runtime/src/sockets/heartbeat.ts', 'missedPings = ');
const logMiB = numberIn('process/src/line-writer.ts', 'maxWaiting = ', mib);
const reconnect = numberIn('sdk/browser/src/core/reconnect.ts', 'giveUpAfterMs = ', second);
const mintTimeout = numberIn('sdk/browser/src/core/request.ts', 'timeoutMs = ', second);
const shortWait = numberIn('sdk/browser/src/core/retries.ts', 'shortWaitMs = ', second);
const rig = numberIn('sdk/browser/src/renderers/rig.ts', 'timeoutMs = ', second);
const relayBody = numberIn('sdk/backend/src/relay/body.ts', 'bodyLimit = ', kib);

/** Numbers of hours as running text spells them. A day has an hour of tolerance. */
const spans: Record<number, string> = { 1.25: 'an hour and a quarter', 25: 'a day' };

/** What each page states about the constants above, by page. Line breaks of the page count as spaces. */
const statements: Record<string, string[]> = {
  'contract/src/admin/errors.ts': [
    `at most ${admission('maxEach')} at a time`,
    `policy: 'operator', limit: ${admission('maxEach')},`,
  ],
  'contract/src/admin/system.ts': [
    `At most ${word(events('maxOfCaller'))} streams are open for a login or a token, and ${events('maxStreams')} per process`,
  ],
  'SECURITY.md': [
    `It ends after ${login} hours, or after ${idle} minutes without input`,
    `At most ${word(failures)} failed sign-ins a minute`,
  ],
  'docs/admin-api.md': [
    `and return 503 after ${admission('maxWaitMs', second)} seconds`,
    `One request examines at most ${examined} rows`,
    `If ${file('maxWaiting')} files are already queued, or a file has waited for ${file('maxWaitMs', second)} s`,
    `\`refusals\` lists the ${causes} most frequent causes`,
    `Beyond ${origins} combinations of origin, cause and experience in a minute`,
    `beyond ${namedCauses} combinations of cause and experience`,
    `Counts are kept for ${countDays} days, by minute for ${spans[addedUp('900')]}, by quarter of an hour for ${spans[addedUp('3_600')]}, then by hour`,
    `rereads its screens every ${pollSeconds} seconds`,
    `at most ${usageDays} days; the default is the last ${defaultDays}`,
    `\`graceSeconds\` (default ${grace}, at most 604800)`,
    `\`limit\` is 1 to ${page}, by default 100`,
    `at most ${events('maxSessions')} are sent per second`,
    `\`tally\` is sent every ${word(events('tallyMs', second))} seconds`,
    `A comment follows every ${events('heartbeatMs', second)} seconds`,
    `more than ${unsent} KiB wait for the client.`,
    `A login or a token can have ${word(events('maxOfCaller'))} streams, and a process ${events('maxStreams')}`,
  ],
  'docs/architecture.md': [
    `separately, unknown keys | ${grouped(cachedNames)} each`,
    `separately, unknown ids | ${grouped(cachedNames)} each`,
    `separately, unlisted ones | ${grouped(cachedNames)} each`,
    `separately, unknown paths | ${grouped(numberIn(`${src}/art/gallery.ts`, 'LookUps<GalleryFile>('))} each`,
    `separately, resized pictures | ${galleryMiB} MiB each`,
    `revisions | ${grouped(numberIn(`${src}/content/directory.ts`, 'max: '))}, and ${numberIn(`${src}/content/directory.ts`, 'maxRevisionCharacters = ', mib)} Mi characters of JSON |`,
    `replayed launches of \`POST /v1/sessions\` | ${grouped(replays)} | after ${word(fresh)} seconds`,
    `rendered responses of those replays | ${replayMiB} MiB | after ${word(fresh)} seconds`,
    `sessions ended by \`leave\` | ${grouped(numberIn(`${src}/sessions/leave-routes.ts`, 'max: '))} | after one minute`,
    `no cached value is used for more than ${word(fresh)} seconds`,
    `runtime has run for ${word(spareAfter)} seconds, the service keeps a spare process`,
    `at most ${grouped(ended)} ended sessions`,
  ],
  'docs/art.md': [
    `at most ${artMiB} MiB`,
    `at most ${artPixels / million} million pixels`,
    `at most ${artPerProject} pictures in a project`,
    `at most ${grouped(svg('maxElements'))} elements`,
    `in at most ${svg('maxDepth')} levels`,
    `any whole number from ${narrowest} to ${widest} is accepted`,
    `files of \`ASSETS_DIR\` up to ${resizable} MiB`,
    `the picture has more than ${resizer('maxPixels', million)} million pixels`,
    `if a JPEG has more than ${numberIn(`${src}/art/raster.ts`, 'maxScans = ')} scans`,
  ],
  'docs/console.md': [
    `within ${code} minutes`,
    `A login lasts ${login} hours and ends after ${idle} minutes without input`,
  ],
  'docs/contract.md': [
    `runtime sends it every ${word(reportIntervalSeconds)} seconds`,
    `A session without a report for ${silence} seconds is ended`,
    `checks this every ${word(silenceEvery)} seconds`,
    `at most ${perMinute} in the minute that begins with the first of them`,
    `lists the first ${violations} violations`,
    `nesting beyond ${nesting} levels`,
    `A body over ${body} KiB is read to its end and discarded, up to ${discarded} MiB`,
    `names a language, and has at most ${tagLength} characters`,
    `with 1 to ${idempotency} printable ASCII characters`,
    `A launch is stored under its key for ${replayHours} hours`,
    `followed by ${key('secretLength')} random base62 characters (178 bits) and a checksum of ${key('checksumLength')}`,
    `\`?w=\` from ${narrowest} to ${widest} returns`,
    `| body of a mint | ${body} KiB |`,
    `| body of an admin API request, a project file | ${adminMiB} MiB |`,
    `| body of a request from a runtime | ${reportMiB} MiB |`,
    `| headers | ${headers} KiB |`,
    `the whole request | ${server('headersTimeout')} s, ${server('requestTimeout')} s |`,
    `does not read it | ${server('connectionTimeout')} s |`,
    `| an idle connection | ${server('keepAliveTimeout')} s |`,
    `descriptor limit less ${reserved}, at least`,
    `| connections of the admin listener | ${adminConnections + runtimeConnections} |`,
    `| art files being sent | ${openFiles} |`,
    `| mints in flight, reads in flight | ${inFlight} each |`,
    `| mints waiting to be recorded | ${queued} |`,
    `of one operator, of all | ${admission('maxEach')}, ${admission('maxInFlight')} | 429, 503 |`,
    `as ${discarded} MiB each: of one operator, of all | ${admission('maxMiBEach')} MiB, ${admission('maxMiB')} MiB | 429, 503 |`,
    `processed at the same time | ${admission('maxRunning')} | wait up to ${admission('maxWaitMs', second)} s, then 503 |`,
    `large documents waiting to be processed | ${file('maxWaiting')} | 503 |`,
    `| memory and time for one document | ${documents('heapMb')} MB, ${documents('taskMs', second)} s |`,
    `| \`startButton\` | all | free-form object of at most ${button('bytes', kib)} KiB and ${button('depth')} levels |`,
    `| \`closeButton\` | server | free-form object of at most ${button('bytes', kib)} KiB and ${button('depth')} levels |`,
    `can have at most ${lookUps} such look-ups`,
    `${refusals('burst')} without delay, then ${1_000 / refusals('everyMs')} a second`,
    `At most ${refusals('maxWaitMs') / refusals('everyMs')} responses of a network are delayed at a time, each by at most ${word(refusals('maxWaitMs', second))} seconds`,
  ],
  'docs/database.md': [
    `\`waiting for the database\` every ${waitLog} seconds`,
    `takes longer than ${word(watch('askAfter'))} seconds, the service opens a new connection`,
    `does not answer within ${watch('answerTimeout')} seconds`,
    `cached for at most ${word(fresh)} seconds`,
    `Below ${lowSpace} MiB of free space`,
    `has no result after ${word(engine('adminAnswer'))} seconds, or up to ${word(engine('adminAnswerIfBusy'))} on a machine that is busy`,
    `computes for longer than ${engine('admin')} seconds`,
    `takes longer than ${engine('query')} seconds`,
    `does not stop within ${engine('stop')} seconds`,
    `does not open within ${word(engine('reopen') / 60)} minutes, or after ${word(engineRestarts)} restarts`,
    `${upkeep('maxLogBytes', mib)} MiB of log since the last one`,
    `${grouped(upkeep('maxDeadRows'))} deleted rows`,
    `${grouped(upkeep('maxNewRows'))} new rows, or ${upkeep('maxTransactions', million)} million transactions`,
  ],
  'docs/decisions/0012-caches.md': [
    `no value is used for more than ${word(fresh)} seconds`,
    `rendered responses, up to ${replayMiB} MiB`,
  ],
  'docs/decisions/0034-signing-in.md': [`an encrypted cookie for ${word(oidcMinutes)} minutes`],
  'docs/decisions/0035-art-in-the-database.md': [
    `thumbnails of ${narrowest} to ${widest} pixels`,
    `at most ${artMiB} MiB each and ${artPerProject} per project`,
    `${galleryMiB} MiB of contents in memory and reads at most ${word(artReads)} pictures at once`,
    `One picture is resized at a time and ${word(resizer('maxWaiting'))} wait`,
    `at most ${resizer('maxPixels', million)} million pixels and for at most ${word(resizer('maxSeconds'))} seconds`,
    `cached in ${resizer('maxCachedBytes', mib)} MiB of memory`,
  ],
  'docs/decisions/0045-one-thread-for-documents.md': [
    `A JSON value of up to ${numberIn(`${src}/documents/document-thread.ts`, 'quickCheck = ', kib)} KiB`,
    `Other documents above ${numberIn(`${src}/documents/document-thread.ts`, 'onEventLoop = ', kib)} KiB`,
    `may use ${documents('heapMb')} MB of heap and ${documents('taskMs', second)} s per task`,
    `At most ${file('maxWaiting')} documents wait;`,
    `statements and documents of ${word(admission('maxRunning'))} requests, not of ${admission('maxEach')}`,
    `for up to ${admission('maxWaitMs', second)} s (503`,
    `in flight: ${admission('maxInFlight')} in total (503 beyond), ${admission('maxEach')} of one operator (429 beyond)`,
  ],
  'docs/errors.md': [
    `headers above ${headers} KiB`,
    `longer than ${idempotency} characters`,
    `different body in the last ${replayHours} hours`,
    `larger than ${body} KiB. The limit is ${adminMiB} MiB for the admin API`,
    `has started ${perMinute} sessions within a minute`,
    `the operator has ${admission('maxEach')} requests in progress`,
    `is larger than ${button('bytes', kib)} KiB or has more than ${button('depth')} levels`,
    `already has ${word(events('maxOfCaller'))} streams, or the process has ${events('maxStreams')}`,
    `\`PAYLOAD_TOO_LARGE\` (over ${reportMiB} MiB)`,
  ],
  'docs/glossary.md': [`every ${word(reportIntervalSeconds)} seconds`],
  'docs/metrics.md': [`Up to ${logMiB} MiB of lines is buffered`],
  'docs/operations.md': [
    `when no request has arrived for ${word(drain('quietMs', second))} second`,
    `has received the 503 ${word(drain('requiredNotices'))} times`,
    `after ${word(shutdown)} seconds the process exits regardless`,
    `agree to within ${word(clock)} seconds`,
    `clocks at most ${word(clock)} seconds apart`,
    `closes idle connections after ${server('keepAliveTimeout')} seconds`,
    `the database responds within ${word(health)} seconds`,
    `A request waits at most ${word(connecting)} seconds for a new connection`,
    `does not advance for ${backupStall} seconds`,
    `within ${code} minutes. A login lasts ${login} hours and ends after ${idle} minutes without input`,
    `waits at most ${migrationLock} ms for running statements`,
    `its event loop was blocked for ${word(hung)} seconds`,
    `The runtime pings every ${bounds.heartbeatSeconds} seconds`,
  ],
  'docs/reliability.md': [
    `headers after ${server('headersTimeout')} s, a whole request after ${server('requestTimeout')} s`,
    `${batchMiB} MiB per write`,
    `${reportIntervalSeconds} s after the last report`,
  ],
  'docs/runbook.md': [
    `At ${queued} waiting mints`,
    `${inFlight} requests (${openFiles} for \`art\`)`,
    `A request waits at most ${word(connecting)} seconds`,
    `less than ${lowSpace} MiB are free`,
  ],
  'docs/runtime.md': [
    `sends nothing for ${modelSilence} seconds`,
    `\`POST /runtime/v1/reports\` every ${word(reportIntervalSeconds)} seconds`,
  ],
  'docs/runtime-protocol.md': [
    `| ${bounds.socketsBeforeHelloPerNetwork} | client network |`,
    `\`RUNTIME_MAX_SESSIONS\` + ${bounds.socketsBeforeHello}`,
    `| Time until \`hello\` | ${bounds.helloSeconds} s |`,
    `| Size of \`hello\` | ${bounds.helloBytes / kib} KiB |`,
    `| ${bounds.serverEndpointPercent} % of them, rounded down |`,
    `once ${bounds.fairShareFromPercent} % of all are taken | ${bounds.networkPercent} % of them |`,
    `| Size of a message | ${bounds.frameBytes / kib} KiB |`,
    `| WebSocket fragments of a message | ${bounds.fragmentsPerMessage} |`,
    `| ${bounds.framesPerSecond} a second; of unused frames at most ${bounds.frameCredit} are kept`,
    `| ${bounds.textsPerTenSeconds} in 10 s | conversation | 4429 |`,
    `| Length of a text | ${bounds.textCharacters} characters |`,
    `| Sound in a binary frame | ${bounds.soundFrameMs} ms |`,
    `| real time + ${bounds.soundAheadMs / second} s; of unused time at most ${bounds.soundCreditMs / second} s are kept`,
    `| Resumes | ${bounds.resumesPerTenSeconds} in 10 s |`,
    `| Events replayed after a resume | ${bounds.replayedEvents} |`,
    `| Audio ahead of \`played\` | ${bounds.aheadMs / second} s |`,
    `| Output that the client has not read | ${backlog} KiB |`,
    `| The same, hard limit | ${bounds.unsentBytes / mib} MiB |`,
    `| Time in which the client reads nothing | ${stall} s |`,
    `| Time between two pings of the runtime | ${bounds.heartbeatSeconds} s | socket | destroyed after ${word(pings)} pings`,
    `until the first words at most ${bounds.firstWordsSeconds} s`,
    `with the code \`ENDING_SOON\` ${notice} s before`,
  ],
  'docs/sdk-backend.md': [`as JSON, up to ${relayBody} KiB`],
  'docs/sdk-browser.md': [
    `a timeout of ${word(mintTimeout)} seconds`,
    `a \`Retry-After\` of at most ${word(shortWait)} seconds`,
    `for up to ${reconnect} seconds`,
    `not loaded within ${word(rig)} seconds`,
  ],
};

const cases = Object.entries(statements).flatMap(([path, texts]) =>
  texts.map((text) => [path, text] as const),
);

test.each(cases)('%s states what the code does: %s', (path, text) => {
  expect(readPage(path).replace(/\s+/g, ' ')).toContain(text);
});

test('a number that several places give differently, or none, is not read', () => {
  expect(() => numberIn(`${src}/art/resizer.ts`, 'nothing = ')).toThrow('no number');
  expect(() => numberIn(`${src}/http/listener/server.ts`, 'Timeout: ')).toThrow('several numbers');
});
