import type { ClientTls } from '@quartermaster/rpc';

/** How to reach a server. */
export interface RpcServerAccess {
  /** `host:port` */
  readonly address: string;
  /** Absent: plain text. */
  readonly tls?: ClientTls;
  /** Asked before each call, since tokens are renewed. */
  readonly token?: () => Promise<string> | string;
}
