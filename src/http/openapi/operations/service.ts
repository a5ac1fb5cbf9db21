// Descriptions: members, probes, metrics and the documentation itself.

import { CSS_FILE, HTML_FILE, SCRIPT_FILE } from '../../response/static-file.ts';
import { type AnswerDescription, empty, json, type Operations, withTag } from '../description.ts';
import { ifNoneMatchRead } from '../parameters.ts';
import { object, text } from '../schema-parts.ts';

const status = object({ status: text });

const unchanged = empty('Nothing has changed since `If-None-Match`.', ['ETag']);

function file(description: string, ...types: readonly string[]): AnswerDescription {
  const content = Object.fromEntries(types.map((type) => [type, { schema: text }]));
  return { description, headers: ['ETag'], content };
}

export const memberOperations: Operations = withTag('Members', {
  listServers: {
    summary: 'List servers',
    answers: {
      200: {
        description: 'The address of every member that runs the service.',
        headers: ['Location'],
        content: {
          'application/json; charset=utf-8': {
            schema: { type: 'array', items: { type: 'string', format: 'uri' } },
            example: ['http://127.0.0.1:7070'],
          },
        },
      },
    },
  },
  ping: {
    summary: 'Ping',
    describesHead: true,
    answers: { 200: empty('The service is available.') },
    errors: { 404: 'The service is not available: it is shutting down.' },
  },
});

export const serviceOperations: Operations = withTag('Service', {
  livez: {
    summary: 'Is the process alive?',
    answers: { 200: json('It is.', status, { example: { status: 'alive' } }) },
  },
  readyz: {
    summary: 'Does the service take requests?',
    answers: { 200: json('It does.', status, { example: { status: 'ready' } }) },
    errors: { 503: 'It is shutting down, or its store cannot be read or written.' },
  },
  metrics: {
    summary: 'Metrics in the text format of Prometheus',
    answers: {
      200: {
        description: 'The metrics.',
        content: { 'text/plain; version=0.0.4; charset=utf-8': { schema: text } },
      },
    },
  },
  readOpenApi: {
    summary: 'This description',
    description: 'OpenAPI 3.1, made from the route table that serves the requests.',
    answers: {
      200: json('The description.', object({ openapi: text, paths: { type: 'object' } })),
    },
  },
  redirectToConsole: {
    summary: 'Go to the web console',
    answers: { 302: empty('It is at `/console/`.', ['Location']) },
  },
  readConsolePage: {
    summary: 'The web console',
    parameters: [ifNoneMatchRead],
    answers: {
      200: file('The page. It loads nothing from outside this service.', HTML_FILE),
      302: empty('Its addresses are relative to `/console/`.', ['Location']),
      304: unchanged,
    },
    errors: { 404: 'The console is not built.' },
  },
  readConsoleAsset: {
    summary: 'A script, style or image of the web console',
    description:
      'A name that holds a hash changes with the content, so such a file may be kept for ever.',
    parameters: [ifNoneMatchRead],
    answers: {
      200: file('The file.', CSS_FILE, SCRIPT_FILE, 'image/svg+xml'),
      304: unchanged,
    },
    errors: { 404: 'There is no such file.' },
  },
  readDocsPage: {
    summary: 'This description as a page',
    parameters: [ifNoneMatchRead],
    answers: {
      200: file('The page. It loads nothing from outside this service.', HTML_FILE),
      304: unchanged,
    },
  },
  readDocsFile: {
    summary: 'A file of the documentation page',
    parameters: [ifNoneMatchRead],
    answers: {
      200: file('The file.', HTML_FILE, CSS_FILE, SCRIPT_FILE),
      304: unchanged,
    },
    errors: { 404: 'There is no such file.' },
  },
});
