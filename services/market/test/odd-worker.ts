/** For tests of `SdlReader`: does what a text says. */
import { parentPort } from 'node:worker_threads';
import { create, toBinary } from '@bufbuild/protobuf';
import { SdlCheckResponseSchema } from '@quartermaster/api/market';

const grown: number[][] = [];

parentPort?.on('message', (text: string) => {
  while (text === 'hang');
  while (text === 'grow') grown.push(Array.from<number>({ length: 1_000_000 }).fill(0.5));
  if (text === 'die') process.exit(1);
  parentPort?.postMessage(toBinary(SdlCheckResponseSchema, create(SdlCheckResponseSchema, { faults: [{ code: text }] })), []);
});
parentPort?.postMessage('ready', []);
