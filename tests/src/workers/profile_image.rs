//! Tests of the profile image of a worker (specification §6.32).

use reqwest::Method;
use serde_json::json;

use crate::support::files::{PNG_FILE, base64, new_image};
use crate::support::{Request, Response, Server, on_every_database};

const IMAGE_PATH: &str = "/workers/EMPLOYEE/profileimage";

async fn set_image(server: &Server, image: &[u8]) -> Response {
    server.send(&Request::post(IMAGE_PATH, &json!({"image": base64(image)}))).await
}

/// Returns a PNG header with this image size.
fn png_file(width: u32, height: u32) -> Vec<u8> {
    let mut png = PNG_FILE.to_vec();
    png[16..20].copy_from_slice(&width.to_be_bytes());
    png[20..24].copy_from_slice(&height.to_be_bytes());
    png
}

#[test]
fn an_image_is_set_replaced_and_removed() {
    on_every_database(async |server| {
        assert!(server.send(&Request::get(IMAGE_PATH)).await.content().is_empty());
        let stored = server.send(&Request::post(IMAGE_PATH, &new_image())).await;
        assert_eq!((stored.status, stored.content()[0].get("image")), (201, None));
        let first = server.send(&Request::get(IMAGE_PATH)).await;
        assert_eq!(first.content()[0]["image"], base64(PNG_FILE));
        assert_eq!(first.content()[0]["contentType"], "image/png");
        let jpeg = b"\xff\xd8\xff\xc0\0\x0b\x08\0\x10\0\x10\x03";
        assert_eq!(set_image(server, jpeg).await.status, 201);
        let second = server.send(&Request::get(IMAGE_PATH)).await;
        assert_eq!(second.content()[0]["image"], base64(jpeg));
        assert_ne!(first.header("etag"), second.header("etag"));
        let removal = Request::new(Method::DELETE, IMAGE_PATH);
        assert_eq!(
            server.send(&removal.clone().if_match(first.header("etag"))).await.status_and_code(),
            "412 API-412"
        );
        assert_eq!(server.send(&removal).await.status, 204);
        let missing = server.send(&removal).await;
        assert_eq!(missing.status_and_code(), "404 API-7");
        assert_eq!(missing.errors()[0]["description"], "the worker has no profile image");
        assert!(server.send(&Request::get(IMAGE_PATH)).await.content().is_empty());
        // The list of a worker's documents does not contain the profile image.
        assert!(server.send(&Request::get("/workers/EMPLOYEE/documents")).await.content().is_empty());
    });
}

#[test]
fn only_images_of_a_moderate_size_are_accepted() {
    on_every_database(async |server| {
        for (image, expected) in [
            (b"%PDF-1.7".to_vec(), "400 API-62"),
            (b"<svg/>".to_vec(), "400 API-62"),
            (png_file(4001, 4000), "400 API-48"),
            (png_file(0, 4), "400 API-48"),
            ([PNG_FILE, &vec![0; 1024 * 1024]].concat(), "413 API-413"),
        ] {
            assert_eq!(set_image(server, &image).await.status_and_code(), expected, "{:?}", &image[..6]);
        }
        assert_eq!(set_image(server, &png_file(4000, 4000)).await.status, 201);
    });
}
