/**
 * The thread that reads SDL. It says `ready` once the library is loaded, takes texts one at a time, and answers each with an encoded
 * SdlCheckResponse.
 */
import { parentPort } from 'node:worker_threads';
import { create, toBinary } from '@bufbuild/protobuf';
import { SdlCheckResponseSchema } from '@quartermaster/api/market';
import { readSdl } from './read-sdl.ts';

parentPort?.on('message', (text: string) => {
  parentPort?.postMessage(toBinary(SdlCheckResponseSchema, create(SdlCheckResponseSchema, readSdl(text))), []);
});
parentPort?.postMessage('ready', []);
