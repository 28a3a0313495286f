/** How the console reaches the fulfillment service for the pages that show hosts, clusters and what belongs to them. */
export interface FulfillmentAccess {
  /** Base of the REST server, `http://127.0.0.1:8001`; undefined while it is not served. */
  restUrl(): string | undefined;
  /** Of the installation itself: whoever looks without having signed in is this one. Asked for at every request. */
  token(): Promise<string>;
}
