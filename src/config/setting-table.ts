// The settings as data: kind, default and a sentence each. The environment
// variable and the flag follow from the path by rule (setting-names.ts).
// docs/config.md is checked against this table.

import {
  DEFAULT_MAX_CHANGE_AGE_MS,
  DEFAULT_MAX_CHANGES,
  DEFAULT_MAX_SNAPSHOTS,
} from '../value/default-limits.ts';
import type { SettingPath } from './config.ts';
import { LIMIT_SETTINGS } from './limit-settings.ts';
import {
  bytes,
  count,
  list,
  MAX,
  MIB,
  ms,
  oneOf,
  onOff,
  type Setting,
  someOf,
  text,
} from './setting.ts';

export const SETTINGS: Readonly<Record<SettingPath, Setting>> = {
  'http.host': {
    type: text,
    fallback: '127.0.0.1',
    doc: 'Address to listen on; any other than a loopback address needs authentication, or `http.insecure`.',
    flag: { name: 'host' },
  },
  'http.port': {
    type: count(0, 65_535),
    fallback: 7070,
    doc: 'Port to listen on; 0 chooses a free one.',
    flag: { name: 'port' },
  },
  'http.insecure': {
    type: onOff,
    fallback: false,
    doc: 'Allows listening on an address that others can reach without authentication.',
    flag: { name: 'insecure', value: 'on' },
  },
  'http.advertise': {
    type: list,
    fallback: [],
    doc: 'Addresses (`http://host:port`) that the server list shows; empty shows the address listened on.',
  },
  'http.allowed-hosts': {
    type: list,
    fallback: [],
    doc: 'Further `Host` names that requests may carry, each as clients write it (`grid.example.com:7070`), besides loopback, the address listened on and `http.advertise`; `*` accepts every name.',
  },
  'http.cors-origins': {
    type: list,
    fallback: [],
    doc: 'Origins (`https://app.example.com`) whose browser pages may call the service.',
  },
  'http.direct-reader': {
    type: onOff,
    fallback: true,
    doc: "Whether plain requests are read directly from their sockets, which costs less. If off, Node's parser reads every request.",
  },
  'http.public-url': {
    type: text,
    fallback: '',
    doc: 'Address under which clients reach the service through a proxy (`https://grid.example.com/grid`): `Location`, `Content-Location` and the OpenAPI document show it, and its host is served. Empty shows the address of the request.',
  },
  'http.trusted-proxies': {
    type: list,
    fallback: [],
    doc: 'Addresses and networks (`10.0.0.0/8`) of proxies whose `X-Forwarded-Proto`, `X-Forwarded-Host` and `X-Forwarded-Prefix` say how the client addressed the service; without `http.public-url`.',
  },
  'http.compression': {
    type: onOff,
    fallback: true,
    doc: 'Whether answers are compressed (zstd, br, gzip) for clients that ask for it in `Accept-Encoding`.',
  },
  'http.unknown-parameters': {
    type: oneOf('refuse', 'ignore'),
    fallback: 'refuse',
    doc: 'Query parameters with a name that a request does not take: refused with 400 and the nearest name, or ignored.',
  },
  'http.dialects': {
    type: someOf('geode', 'gemfire-api'),
    fallback: ['geode', 'gemfire-api'],
    doc: 'Other APIs that the service also speaks, for clients written for them: `geode` under `/geode/v1`, `gemfire-api` under `/gemfire-api/v1`. Empty serves none.',
  },
  'http.drain-timeout-ms': {
    type: ms(0),
    fallback: 8_000,
    doc: 'How long requests in flight may take to finish when the service stops.',
  },
  'http.drain-linger-ms': {
    type: ms(0),
    fallback: 100,
    doc: 'The service stops listening after this long without a new request, and cuts open connections after as long again. Until then requests are answered with 503, so that clients and load balancers notice.',
  },
  'tls.certificate-file': {
    type: text,
    fallback: '',
    doc: 'PEM file with the certificate and its chain; if set, the service speaks HTTPS. Read again on SIGHUP.',
    flag: { name: 'tls-certificate' },
  },
  'tls.key-file': {
    type: text,
    fallback: '',
    doc: 'PEM file with the private key of the certificate. Read again on SIGHUP.',
    flag: { name: 'tls-key' },
  },
  'tls.key-passphrase': {
    type: text,
    fallback: '',
    doc: 'Passphrase of an encrypted private key; taken from the environment or the file, never from a flag.',
    secret: true,
  },
  'store.engine': {
    type: oneOf('sqlite', 'memory', 'postgres'),
    fallback: 'sqlite',
    doc: 'Where regions are stored: in a file, in memory (lost at exit), or in a PostgreSQL database that several servers share. If `store.url` is set, it is `postgres`.',
    flag: { name: 'memory', value: 'memory' },
  },
  'store.directory': {
    type: text,
    fallback: './data',
    doc: 'Directory of the data file; created if it does not exist.',
    flag: { name: 'data' },
  },
  'store.url': {
    type: text,
    fallback: '',
    doc: 'PostgreSQL database of the store, `postgres://user@host1,host2/database`, without a password; `?sslmode=`, `sslrootcert=` and `schema=` may follow.',
    flag: { name: 'store' },
  },
  'store.password': {
    type: text,
    fallback: '',
    doc: 'Password for the database; taken from the environment or the file, never from a flag.',
    secret: true,
  },
  'store.password-file': {
    type: text,
    fallback: '',
    doc: 'File that holds the password for the database.',
  },
  'store.max-snapshots': {
    type: count(1, 1_000),
    fallback: DEFAULT_MAX_SNAPSHOTS,
    doc: 'Queries and scans that read a PostgreSQL store at once. Each needs a connection; further ones wait.',
  },
  'store.durability': {
    type: oneOf('always', 'relaxed'),
    fallback: 'always',
    doc: 'With `always` an acknowledged write survives a power cut. With `relaxed` it survives a killed process, but a power cut may lose the last moments.',
    flag: { name: 'durability' },
  },
  'changes.max-count': {
    type: count(0, MAX),
    fallback: DEFAULT_MAX_CHANGES,
    doc: 'How many recorded changes are kept; the oldest beyond it are trimmed.',
  },
  'changes.max-age-ms': {
    type: count(0, MAX),
    fallback: DEFAULT_MAX_CHANGE_AGE_MS,
    doc: 'Age beyond which recorded changes are trimmed.',
  },
  'feeds.max-open': {
    type: count(1, 1_000_000),
    fallback: 2_000,
    doc: 'Change feeds and live queries open at once, long polls included; more get 503 with `Retry-After`. They are not counted among `limits.requests-in-flight` and `limits.streams`.',
  },
  'feeds.max-open-per-login': {
    type: count(1, 1_000_000),
    fallback: 500,
    doc: 'How many of `feeds.max-open` one login may have, where authentication is on.',
  },
  'query.max-execution-time-ms': {
    type: ms(0),
    fallback: 30_000,
    doc: 'Longest time a query may run; 0 means no limit.',
  },
  'query.critical-heap-percentage': {
    type: count(0, 100),
    fallback: 0,
    doc: "Share of the heap, or of the container's memory limit, beyond which running queries are cancelled and new ones refused; 0 means 90 % in a container, and no limit elsewhere.",
  },
  'query.max-concurrent': {
    type: count(1, 1_000),
    fallback: 8,
    doc: 'Queries that run at once; further ones wait for their turn. Short queries have the same number of additional slots.',
  },
  'query.max-waiting': {
    type: count(0, 100_000),
    fallback: 256,
    doc: 'Queries that wait for their turn; more are answered with 503 at once.',
  },
  'query.max-wait-ms': {
    type: ms(0),
    fallback: 5_000,
    doc: 'Longest time a query waits for its turn before it is answered with 503; its own time limit counts too.',
  },
  'query.max-rows-kept': {
    type: count(1, MAX),
    fallback: 5_000_000,
    doc: 'Rows that one query may hold in memory for sorting, grouping, DISTINCT and joins.',
  },
  'live.interval': {
    type: ms(1),
    fallback: 250,
    doc: 'Shortest time in milliseconds between two runs of a live query that runs again when its regions change.',
  },
  'live.max-queries': {
    type: count(0, 1_000_000),
    fallback: 1_000,
    doc: 'Live queries open at once; more get 503 with `Retry-After`.',
  },
  'live.max-rows': {
    type: count(1, MAX),
    fallback: 100_000,
    doc: 'Rows that the result of one live query may have; 413 beyond it.',
  },
  'live.memory-budget-bytes': {
    type: bytes(1, MAX),
    fallback: 256 * MIB,
    doc: 'Memory for the results of all live queries; 413 for a result that is larger by itself, 503 when the rest does not suffice.',
  },
  'live.max-run-ms': {
    type: ms(0),
    fallback: 10_000,
    doc: 'Longest time of one run of a live query, 503 beyond it; 0 means no limit.',
  },
  'columns.memory-budget-bytes': {
    type: bytes(0, MAX),
    fallback: 512 * MIB,
    doc: 'Memory for columns and indexes, at most a quarter of the memory of the machine or container. Beyond it the least recently used columns are dropped.',
  },
  'errors.trace': {
    type: oneOf('safe', 'full', 'off'),
    fallback: 'safe',
    doc: 'What a 500 shows of its stack: frames of gridkeep, all frames, or none.',
  },
  'log.level': {
    type: oneOf('error', 'warn', 'info', 'debug'),
    fallback: 'info',
    doc: 'The least severe level that is written.',
  },
  'log.format': {
    type: oneOf('auto', 'json', 'readable'),
    fallback: 'auto',
    doc: 'Form of log lines; `auto` is readable on a terminal and JSON elsewhere.',
  },
  'log.requests': {
    type: onOff,
    fallback: true,
    doc: 'Whether each request gets a log line.',
  },
  'testing.fault': {
    type: text,
    fallback: '',
    doc: 'Breaks the service on purpose, for tests of gridkeep itself (`before-commit:20`); refused unless `NODE_ENV` is `test`.',
  },
  ...LIMIT_SETTINGS,
};
