// Recording.
export { createRecorder, type Recorder, type RecorderOptions } from "./record/create-recorder.ts";
export type { RecordableFetch } from "./record/record-fetch.ts";

// Recordings.
export { parseRecording, type ParseRecordingOptions } from "./recording/parse-recording.ts";
export { readRecording } from "./recording/read-recording.ts";
export type {
  HostEvent,
  RecordedEvent,
  RecordedMessage,
  RecordedServer,
  RecordedText,
  RecordedTransport,
  Recording,
  ServerEvent,
} from "./recording/recorded-event.ts";

// Playing back.
export { createReplay, type RecordedRequest, type Replay, type ReplayOptions } from "./play/create-replay.ts";
export type { ReplayOrder } from "./play/build-script.ts";
export type { ReplayAgain } from "./play/create-stage.ts";

// Serving what was recorded.
export { startReplayServer, type ReplayServer, type ReplayServerOptions } from "./serve/start-replay-server.ts";

// The commands play, record and show.
export { runReplayCommand } from "./run-replay-command.ts";
