import type { IncomingMessage } from 'node:http';
import { parse } from 'yaml';
import { isObject, type Json, type JsonObject } from './api-object.ts';
import { apiError, badRequest } from './api-status.ts';
import type { BodyFormat } from './media-types.ts';

const maxBytes = 3 * 1024 * 1024;
const deepest = 200;

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) throw apiError(413, 'RequestEntityTooLarge', `limit is ${maxBytes} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export function parseBody(text: string, format: BodyFormat): Json {
  const value = parsed(text, format);
  if (depthExceeds(value, deepest)) throw badRequest(`the object is nested more than ${deepest} levels deep`);
  return value;
}

export function parseObject(text: string, format: BodyFormat): JsonObject {
  if (text.trim() === '') throw badRequest('the request has no body: an object is needed');
  const value = parseBody(text, format);
  if (!isObject(value)) throw badRequest('the body of the request is not an object');
  return value;
}

function parsed(text: string, format: BodyFormat): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    if (format === 'json') throw badRequest(`the body of the request is not JSON: ${(error as Error).message}`);
  }
  try {
    return (parse(text, { maxAliasCount: 100, logLevel: 'error' }) ?? null) as Json;
  } catch (error) {
    throw badRequest(`error converting YAML to JSON: yaml: ${(error as Error).message}`);
  }
}

function depthExceeds(value: Json, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return left === 0 || Object.values(value as JsonObject).some((part) => depthExceeds(part, left - 1));
}
