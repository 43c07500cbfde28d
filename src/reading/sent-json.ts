import { badRequest } from '../errors.ts';

/** A JSON body that is read in a process of its own. A mark that some editors put first is no part of it. @throws BAD_REQUEST */
export function parsedJson(body: Uint8Array): unknown {
  if (body.byteLength === 0) throw badRequest('The request body is empty.');
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw badRequest('The request body is not valid JSON.');
  }
}
