import { EngineError } from '../engine.ts';

/**
 * `fetch` that stops reading an answer at so many bytes. A server that sends without end would otherwise fill our memory:
 * 400 MB of answer became 2.1 GB.
 */
export function boundedFetch(maxBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    let left = maxBytes;
    const bounded = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          left -= chunk.byteLength;
          if (left >= 0) controller.enqueue(chunk);
          else controller.error(new EngineError('malformed', `the answer has more than ${maxBytes} bytes`));
        },
      }),
    );
    return new Response(bounded, {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
}
