// Takes a picture of a video before it is uploaded. Without this script, or if the browser cannot
// play the video, it has no picture.
const longest = 1600; // pixels of a side
const patience = 10_000; // milliseconds
const mostBytes = 2 << 20; // content.MaxPoster

/** Returns the fields of a form with a picture of each video before it, in the field "poster". */
export async function withPictures(fields) {
  const all = new FormData();
  for (const [name, value] of fields) {
    const picture = name === "file" && value.type?.startsWith("video/") && await pictureOf(value);
    if (picture) all.append("poster", picture, "poster.jpg");
    all.append(name, value);
  }
  return all;
}

/** Resolves to a JPEG of a frame near the beginning of a video file, or to null. */
export async function pictureOf(file) {
  const video = document.createElement("video");
  const address = URL.createObjectURL(file);
  const limit = AbortSignal.timeout(patience);
  const until = (event) => new Promise((resolve, reject) => {
    video.addEventListener(event, resolve, { once: true });
    video.addEventListener("error", reject, { once: true });
    limit.addEventListener("abort", reject, { once: true });
  });
  try {
    Object.assign(video, { muted: true, playsInline: true, preload: "auto", src: address });
    await until("loadeddata");
    video.currentTime = Math.min(1, video.duration / 10 || 0);
    await until("seeked");
    const scale = Math.min(1, longest / Math.max(video.videoWidth, video.videoHeight));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(video.videoWidth * scale));
    canvas.height = Math.max(1, Math.round(video.videoHeight * scale));
    canvas.getContext("2d").drawImage(video, 0, 0, canvas.width, canvas.height);
    const picture = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.85));
    return picture?.size <= mostBytes && video.videoWidth > 0 ? picture : null;
  } catch {
    return null;
  } finally {
    video.removeAttribute("src");
    video.load();
    URL.revokeObjectURL(address);
  }
}
