// Descriptions: members, probes, metrics and the documentation itself.

import { empty, json, type OperationDescription } from '../description.ts';
import { ifNoneMatchRead } from '../parameters.ts';

export type ServiceOperation =
  | 'listServers'
  | 'ping'
  | 'livez'
  | 'readyz'
  | 'metrics'
  | 'readOpenApi'
  | 'redirectToConsole'
  | 'readConsolePage'
  | 'readConsoleAsset'
  | 'readDocsPage'
  | 'readDocsFile';

const status = {
  type: 'object',
  properties: { status: { type: 'string' } },
  required: ['status'],
};

const unchanged = empty('Nothing has changed since `If-None-Match`.', ['ETag']);

export const serviceOperations: Readonly<Record<ServiceOperation, OperationDescription>> = {
  listServers: {
    tag: 'Members',
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
    tag: 'Members',
    summary: 'Ping',
    describesHead: true,
    answers: { 200: empty('The service is available.') },
    errors: { 404: 'The service is not available: it is shutting down.' },
  },
  livez: {
    tag: 'Service',
    summary: 'Is the process alive?',
    answers: { 200: json('It is.', status, { example: { status: 'alive' } }) },
  },
  readyz: {
    tag: 'Service',
    summary: 'Does the service take requests?',
    answers: { 200: json('It does.', status, { example: { status: 'ready' } }) },
    errors: { 503: 'It is shutting down, or its store cannot be read or written.' },
  },
  metrics: {
    tag: 'Service',
    summary: 'Metrics in the text format of Prometheus',
    answers: {
      200: {
        description: 'The metrics.',
        content: {
          'text/plain; version=0.0.4; charset=utf-8': { schema: { type: 'string' } },
        },
      },
    },
  },
  readOpenApi: {
    tag: 'Service',
    summary: 'This description',
    description: 'OpenAPI 3.1, made from the route table that serves the requests.',
    answers: { 200: json('The description.', { type: 'object', required: ['openapi', 'paths'] }) },
  },
  redirectToConsole: {
    tag: 'Service',
    summary: 'Go to the web console',
    answers: { 302: empty('It is at `/console/`.', ['Location']) },
  },
  readConsolePage: {
    tag: 'Service',
    summary: 'The web console',
    parameters: [ifNoneMatchRead],
    answers: {
      200: {
        description: 'The page. It loads nothing from outside this service.',
        headers: ['ETag'],
        content: { 'text/html; charset=utf-8': { schema: { type: 'string' } } },
      },
      302: empty('Its addresses are relative to `/console/`.', ['Location']),
      304: unchanged,
    },
    errors: { 404: 'The console is not built.' },
  },
  readConsoleAsset: {
    tag: 'Service',
    summary: 'A script, style or image of the web console',
    description:
      'A name that holds a hash changes with the content, so such a file may be kept for ever.',
    parameters: [ifNoneMatchRead],
    answers: {
      200: {
        description: 'The file.',
        headers: ['ETag'],
        content: {
          'text/css; charset=utf-8': { schema: { type: 'string' } },
          'text/javascript; charset=utf-8': { schema: { type: 'string' } },
          'image/svg+xml': { schema: { type: 'string' } },
        },
      },
      304: unchanged,
    },
    errors: { 404: 'There is no such file.' },
  },
  readDocsPage: {
    tag: 'Service',
    summary: 'This description as a page',
    parameters: [ifNoneMatchRead],
    answers: {
      200: {
        description: 'The page. It loads nothing from outside this service.',
        headers: ['ETag'],
        content: { 'text/html; charset=utf-8': { schema: { type: 'string' } } },
      },
      304: unchanged,
    },
  },
  readDocsFile: {
    tag: 'Service',
    summary: 'A file of the documentation page',
    parameters: [ifNoneMatchRead],
    answers: {
      200: {
        description: 'The file.',
        headers: ['ETag'],
        content: {
          'text/html; charset=utf-8': { schema: { type: 'string' } },
          'text/css; charset=utf-8': { schema: { type: 'string' } },
          'text/javascript; charset=utf-8': { schema: { type: 'string' } },
        },
      },
      304: unchanged,
    },
    errors: { 404: 'There is no such file.' },
  },
};
