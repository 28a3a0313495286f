import type { IncomingMessage } from 'node:http';
import { parse } from 'yaml';
import { apiError, badRequest } from '../../schema/api-status.ts';
import { type BodyFormat, bodyFormat } from '../answer/media-types.ts';
import { isObject, type Json, type JsonObject } from '../object/api-object.ts';
import type { ProtobufBodies } from './protobuf-body.ts';

type TextFormat = Exclude<BodyFormat, 'protobuf'>;

const maxBytes = 3 * 1024 * 1024;
/** As Go's decoder has it. */
const maxDepth = 10_000;

/** The object that a request carries, in any of the formats that its content type may name. */
export async function readObject(request: IncomingMessage, protobuf: ProtobufBodies): Promise<JsonObject> {
  const format = bodyFormat(request.headers['content-type']);
  const body = await readBytes(request);
  return format === 'protobuf' ? protobuf.parse(body) : parseObject(body.toString('utf8'), format);
}

export async function readText(request: IncomingMessage): Promise<string> {
  return (await readBytes(request)).toString('utf8');
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) throw apiError(413, 'RequestEntityTooLarge', `limit is ${maxBytes} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

export function parseBody(text: string, format: TextFormat): Json {
  const tooDeep = /^\s*[{[]/.test(text) ? deeperThan(text, maxDepth) : undefined;
  if (tooDeep !== undefined) throw badRequest(`error decoding the body: invalid character '${tooDeep}' exceeded max depth of ${maxDepth}`);
  return parsed(text, format);
}

export function parseObject(text: string, format: TextFormat): JsonObject {
  if (text.trim() === '') throw badRequest('the request body is empty: an object is required');
  const value = parseBody(text, format);
  if (!isObject(value)) throw badRequest('the body of the request is not an object');
  return value;
}

function parsed(text: string, format: TextFormat): Json {
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

/** The bracket that opens more levels than these, or undefined. Read from the text: what is parsed could be too deep to walk through. */
function deeperThan(text: string, levels: number): string | undefined {
  let depth = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted && character === '\\') index += 1;
    else if (isQuoted) continue;
    else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > levels) return character;
    } else if (character === '}' || character === ']') depth -= 1;
  }
  return undefined;
}
