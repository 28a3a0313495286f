import { constants, createDeflate, createInflate, type Deflate, type Inflate } from 'node:zlib';
import { StatusError } from '@quartermaster/kernel';

/** Header names and values that both ends of SPDY/3 begin with as if they had been sent already, each with its length in front. */
const knownWords = `options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow
  authorization cache-control connection content-base content-encoding content-language content-length content-location content-md5
  content-range content-type date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since
  last-modified location max-forwards pragma proxy-authenticate proxy-authorization range referer retry-after server te trailer
  transfer-encoding upgrade user-agent vary via warning www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie
  keep-alive origin`
  .split(/\s+/)
  .map((word) => word.replace('_', ' '));

/** The rest of what both ends know, in one piece. */
const knownText = [
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative Information',
  '204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error',
  '501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, ',
  'Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,public',
  'privatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.',
].join('');

const dictionary = (): Buffer => Buffer.concat([...knownWords.map(sized), Buffer.from(knownText)]);

const longestBlock = 256 * 1024;

function sized(text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(text));
  return Buffer.concat([length, Buffer.from(text)]);
}

/** Headers by their lower-case names. */
export type SpdyHeaders = ReadonlyMap<string, string>;

/** A zlib stream that is fed piece by piece; what each piece turns into is complete when the feeding is done. */
class HeaderCodec {
  readonly #zlib: Inflate | Deflate;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(zlib: Inflate | Deflate) {
    this.#zlib = zlib;
    zlib.on('error', () => {});
    zlib.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
      if (this.#length > longestBlock) zlib.destroy(new StatusError('invalid_argument', `more than ${longestBlock} bytes of SPDY headers`));
    });
  }

  async feed(bytes: Buffer): Promise<Buffer> {
    this.#chunks = [];
    this.#length = 0;
    const zlib = this.#zlib;
    await new Promise<void>((resolve, reject) => {
      const fail = (): void => reject(zlib.errored ?? new StatusError('unavailable', 'the SPDY connection has ended'));
      zlib.once('close', fail);
      zlib.write(bytes);
      zlib.flush(constants.Z_SYNC_FLUSH, () => {
        zlib.off('close', fail);
        if (zlib.errored === null) resolve();
        else fail();
      });
    });
    return Buffer.concat(this.#chunks);
  }

  close(): void {
    this.#zlib.destroy();
  }
}

/** Unpacks the header blocks of one direction of a connection: one after the other, for each builds on those before. */
export class SpdyHeaderReader {
  readonly #codec = new HeaderCodec(createInflate({ dictionary: dictionary() }));

  /** Throws for what is no header block, or too long. */
  async read(block: Buffer): Promise<SpdyHeaders> {
    return parseBlock(await this.#codec.feed(block));
  }

  close(): void {
    this.#codec.close();
  }
}

/** Packs header blocks, in the order in which they are sent. */
export class SpdyHeaderWriter {
  readonly #codec = new HeaderCodec(createDeflate({ dictionary: dictionary() }));

  async write(headers: SpdyHeaders): Promise<Buffer> {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(headers.size);
    return await this.#codec.feed(Buffer.concat([count, ...[...headers].flatMap(([name, value]) => [sized(name), sized(value)])]));
  }

  close(): void {
    this.#codec.close();
  }
}

function parseBlock(bytes: Buffer): SpdyHeaders {
  const headers = new Map<string, string>();
  let at = 4;
  const text = (): string => {
    const end = at + 4 + (at + 4 <= bytes.length ? bytes.readUInt32BE(at) : Number.POSITIVE_INFINITY);
    if (end > bytes.length) throw new StatusError('invalid_argument', 'a SPDY header block ends in the middle of a header');
    const result = bytes.toString('utf8', at + 4, end);
    at = end;
    return result;
  };
  const count = bytes.length < 4 ? 0 : bytes.readUInt32BE(0);
  for (let i = 0; i < count; i += 1) headers.set(text().toLowerCase(), text());
  return headers;
}
