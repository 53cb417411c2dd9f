//! Reads the size of an image from its header without decoding the image. A small file whose header states a
//! huge size therefore causes no work.

use super::kind::FileType;

/// The maximum number of pixels of an image. An image of this size takes 64 MB when it is decoded with 4
/// bytes per pixel.
pub const MAX_IMAGE_PIXELS: u64 = 16_000_000;

/// The width and the height of an image in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageSize {
    /// The width of the image in pixels.
    pub width: u32,
    /// The height of the image in pixels.
    pub height: u32,
}

/// The reason why an image is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFault {
    /// The content is not a PNG or JPEG image.
    NoImage,
    /// The header is invalid, or the width or height in it is zero.
    BrokenHeader,
    /// The image has more than [`MAX_IMAGE_PIXELS`] pixels.
    TooManyPixels,
}

/// Returns the size of a PNG or JPEG image from its header.
///
/// # Errors
/// Returns the reason why the image is rejected.
///
/// ```
/// use payroll_domain::file::{ImageFault, read_image_size};
/// let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x20\0\0\0\x10\x08\x02\0\0\0";
/// assert_eq!(read_image_size(png).map(|size| (size.width, size.height)), Ok((32, 16)));
/// assert_eq!(read_image_size(b"%PDF-1.7"), Err(ImageFault::NoImage));
/// ```
pub fn read_image_size(content: &[u8]) -> Result<ImageSize, ImageFault> {
    let size = match FileType::detect(content) {
        Ok(FileType::Png) => read_png_size(content),
        Ok(FileType::Jpeg) => read_jpeg_size(content),
        Ok(FileType::Pdf | FileType::Text | FileType::Csv) | Err(_) => return Err(ImageFault::NoImage),
    };
    let size = size.filter(|size| size.width > 0 && size.height > 0).ok_or(ImageFault::BrokenHeader)?;
    let pixels = u64::from(size.width).saturating_mul(size.height.into());
    if pixels > MAX_IMAGE_PIXELS { Err(ImageFault::TooManyPixels) } else { Ok(size) }
}

/// Reads the size of a PNG image. A PNG file starts with a signature of 8 bytes and the chunk IHDR, whose
/// data starts with width and height.
fn read_png_size(content: &[u8]) -> Option<ImageSize> {
    let chunk = content.get(8..24)?;
    let (head, size) = chunk.split_at_checked(8)?;
    if head != b"\0\0\0\x0dIHDR" {
        return None;
    }
    let (width, height) = size.split_at_checked(4)?;
    Some(ImageSize { width: parse_big_endian(width)?, height: parse_big_endian(height)? })
}

/// Reads the size of a JPEG image. The file is a sequence of segments, and the frame segment contains the
/// size.
fn read_jpeg_size(content: &[u8]) -> Option<ImageSize> {
    let mut rest = content.get(2..)?;
    loop {
        // Any number of additional FF bytes may precede the marker byte of a segment.
        let (&marker, after) = rest.split_first()?;
        if marker != 0xff {
            return None;
        }
        let filling = after.iter().take_while(|byte| **byte == 0xff).count();
        let (&kind, after) = after.get(filling..)?.split_first()?;
        match kind {
            // The markers 01 and D0 to D8 have no length field and no data.
            0x01 | 0xd0..=0xd8 => rest = after,
            // Image data or the end of the image was reached before any frame segment, so the size is
            // unknown.
            0x00 | 0xd9 | 0xda => return None,
            // The segments C0 to CF are frame segments, except the tables C4, C8 and CC.
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                let height = parse_big_endian(after.get(3..5)?)?;
                return Some(ImageSize { width: parse_big_endian(after.get(5..7)?)?, height });
            }
            _ => {
                let length = usize::try_from(parse_big_endian(after.get(..2)?)?).ok()?;
                rest = after.get(length.max(2)..)?;
            }
        }
    }
}

fn parse_big_endian(bytes: &[u8]) -> Option<u32> {
    bytes.iter().try_fold(0_u32, |number, byte| number.checked_mul(256)?.checked_add(u32::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build_png(width: u32, height: u32) -> Vec<u8> {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
        png.extend(width.to_be_bytes());
        png.extend(height.to_be_bytes());
        png.extend(b"\x08\x02\0\0\0");
        png
    }

    fn build_jpeg(segments: &[u8]) -> Vec<u8> {
        [b"\xff\xd8", segments].concat()
    }

    #[test]
    fn reads_the_size_of_an_image_from_its_header() {
        assert_eq!(read_image_size(&build_png(640, 480)), Ok(ImageSize { width: 640, height: 480 }));
        let frame = b"\xff\xe0\0\x04ab\xff\xff\xc2\0\x0b\x08\x01\xe0\x02\x80\x03";
        assert_eq!(read_image_size(&build_jpeg(frame)), Ok(ImageSize { width: 640, height: 480 }));
    }

    #[test]
    fn rejects_an_image_size_above_the_limit_in_a_small_file() {
        assert_eq!(read_image_size(&build_png(4000, 4000)), Ok(ImageSize { width: 4000, height: 4000 }));
        for (width, height) in [(4001, 4000), (u32::MAX, u32::MAX), (1, 16_000_001)] {
            assert_eq!(read_image_size(&build_png(width, height)), Err(ImageFault::TooManyPixels));
        }
        let frame = b"\xff\xc0\0\x0b\x08\xff\xff\xff\xff\x03";
        assert_eq!(read_image_size(&build_jpeg(frame)), Err(ImageFault::TooManyPixels));
    }

    #[test]
    fn an_image_with_a_broken_header_has_no_size() {
        let broken = [
            build_png(0, 5),
            build_png(5, 5).get(..20).unwrap().to_vec(),
            b"\x89PNG\r\n\x1a\n\0\0\0\x0dIDAT\0\0\0\x05\0\0\0\x05".to_vec(),
            build_jpeg(b"\xff"),
            build_jpeg(b"\xff\xda\0\x02"),
            build_jpeg(b"\xff\xe0\0\x00\xff\xd9"),
            build_jpeg(b"\xff\xc0\0\x0b\x08\x01"),
            build_jpeg(b"\xff\xe0\xff\xff"),
        ];
        for content in broken {
            assert_eq!(read_image_size(&content), Err(ImageFault::BrokenHeader), "{content:?}");
        }
        assert_eq!(read_image_size(b"a text"), Err(ImageFault::NoImage));
    }
}
