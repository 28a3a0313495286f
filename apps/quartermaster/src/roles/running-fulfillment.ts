/** Where the fulfillment service of this process serves. */
export interface RunningFulfillment {
  /** `127.0.0.1:8000` */
  readonly grpc: string;
  /** `http://127.0.0.1:8001` */
  readonly rest: string;
}
