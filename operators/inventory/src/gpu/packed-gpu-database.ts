import { gunzipSync, gzipSync } from 'node:zlib';
import { messageOf, StatusError } from '@quartermaster/kernel';

/** Of a database before it is packed. */
export const maxDatabaseBytes = 8 * 2 ** 20;
/** Kubernetes refuses a ConfigMap of more than 1 MiB; a part of it is for the rest of the object. */
const maxPackedBytes = 1000 * 2 ** 10;

/** The text of a database as a binary value of a ConfigMap: gzipped, in base64. Throws `invalid_argument` for one that does not fit. */
export function packGpuDatabase(text: string): string {
  const packed = gzipSync(text, { level: 9 });
  if (packed.byteLength <= maxPackedBytes) return packed.toString('base64');
  throw new StatusError(
    'invalid_argument',
    `GPU database: ${packed.byteLength} bytes when compressed, and a ConfigMap keeps ${maxPackedBytes}: serve a smaller one`,
  );
}

/** Throws `invalid_argument` for what `packGpuDatabase` did not make. */
export function unpackGpuDatabase(value: string): string {
  try {
    return gunzipSync(Buffer.from(value, 'base64'), { maxOutputLength: maxDatabaseBytes }).toString('utf8');
  } catch (thrown) {
    throw new StatusError('invalid_argument', `GPU database: not a gzipped text (${messageOf(thrown)})`);
  }
}
