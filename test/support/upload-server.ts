/** A small HTTP server with the upload reader mounted on it and a file storage behind, as the API has them. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError, errorTable } from '../../src/errors.ts';
import { readUpload, type UploadOptions } from '../../src/http/upload/read-upload.ts';
import { type UploadLimits, uploadLimits } from '../../src/http/upload/upload-limits.ts';
import { defaultLimits } from '../../src/limits.ts';
import { FileStorage } from '../../src/platform/storage/file-storage.ts';

export interface UploadServer {
  url: string;
  port: number;
  server: Server;
  /** Errors that were not AppErrors: must stay empty. */
  unexpected: unknown[];
  /** Keys of objects that were removed after an error. */
  discarded: string[];
  openSockets(): number;
  /** Bytes taken from sockets that are closed by now. */
  receivedBytes(): number;
  temporaryFiles(): string[];
  storedObjects(): Promise<string[]>;
  close(): Promise<void>;
}

export interface UploadAnswer {
  fields?: Record<string, string>;
  file?: {
    fieldName: string;
    fileName: string;
    stored: { key: string; sizeBytes: number; sha256: string };
  };
  error?: { code: string; message: string; details?: Record<string, unknown> };
}

export interface UploadServerSettings {
  limits?: Partial<UploadLimits>;
  sink?: UploadOptions['sink'];
}

export async function startUploadServer(settings: UploadServerSettings = {}): Promise<UploadServer> {
  const root = mkdtempSync(join(tmpdir(), 'toledo-upload-'));
  const storage = await FileStorage.open(root);
  const unexpected: unknown[] = [];
  const discarded: string[] = [];
  let openSockets = 0;
  let receivedBytes = 0;
  let count = 0;

  const server = createServer(async (request, response) => {
    try {
      const upload = await readUpload(
        { headers: request.headers, stream: request },
        {
          limits: { ...uploadLimits(defaultLimits), ...settings.limits },
          sink: settings.sink ?? ((body, signal) => storage.put(`uploads/${count++}`, body, { signal })),
          takesText: true,
          discard: async (stored) => {
            await storage.delete(stored.key);
            discarded.push(stored.key);
          },
        },
      );
      const fields = new Map(upload.fields);
      if (upload.text) fields.set('text', Buffer.from(upload.text).toString());
      answer(201, { fields: Object.fromEntries(fields), file: upload.file });
      if (upload.file) await storage.delete(upload.file.stored.key);
    } catch (error) {
      if (!(error instanceof AppError)) unexpected.push(error);
      const fault = error instanceof AppError ? error : new AppError('INTERNAL', 'unexpected');
      const { code, message, details } = fault;
      answer(errorTable[code].status, { error: { code, message, details } });
    }

    function answer(status: number, body: UploadAnswer): void {
      const text = JSON.stringify(body);
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
      response.end(text);
    }
  });
  server.on('connection', (socket) => {
    openSockets += 1;
    socket.once('close', () => {
      openSockets -= 1;
      receivedBytes += socket.bytesRead;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/`,
    port,
    server,
    unexpected,
    discarded,
    openSockets: () => openSockets,
    receivedBytes: () => receivedBytes,
    temporaryFiles: () => readdirSync(join(root, 'incoming')),
    storedObjects: () => Array.fromAsync(storage.list()),
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      rmSync(root, { recursive: true, force: true });
    },
  };
}
