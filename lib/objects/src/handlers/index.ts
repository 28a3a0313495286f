export { type Call, callOf } from './call.ts';
export { type GetRequest, privateHandlers } from './handlers.ts';
export { mayReveal } from './may-reveal.ts';
export { type AlsoWrite, ObjectWriter, type WriterOptions } from './object-writer.ts';
export { publicHandlers } from './public-handlers.ts';
export { checkId, notFound, ObjectReader } from './read-objects.ts';
