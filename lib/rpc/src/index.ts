export { isLoopback } from '@quartermaster/kernel';
export {
  type Authenticate,
  anonymous,
  type Caller,
  type Identity,
  type PeerCertificate,
} from './authentication.ts';
export { CallLimits } from './call-limits.ts';
export type { FinishedCall } from './call-runner.ts';
export { isUnimplemented } from './error-details.ts';
export { limitedReview } from './limited-review.ts';
export { peerCertificateOf } from './peer-certificate.ts';
export { answerJson } from './rest/answer-json.ts';
export { restBindings } from './rest/http-rules.ts';
export { jsonProblem } from './rest/json-problem.ts';
export { type OpenApiOptions, openApiDocument } from './rest/openapi.ts';
export { type RestRoute, type RestServer, type RestServerOptions, startRestServer } from './rest/rest-server.ts';
export { maskOfChange, maskOfJson } from './rest/update-mask.ts';
export {
  type ClientTls,
  openRpcChannel,
  type RpcCallOptions,
  type RpcChannel,
  type RpcClientOptions,
  type ServiceClient,
} from './rpc-client.ts';
export { type RpcServer, type RpcServerOptions, startRpcServer } from './rpc-server.ts';
export { type CallContext, type ServedService, type ServiceHandlers, serve } from './service-handlers.ts';
export { sharedAnswer } from './shared-answer.ts';
export { StreamLimits } from './stream-limits.ts';
export type { ReloadingTls } from './tls-credentials.ts';
